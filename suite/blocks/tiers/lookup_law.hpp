// Which rows of a table users ask for: many lookups of few rows, which a cache keeps, and some of rows that hardly
// anyone asks for.
//
// The law is fitted to two numbers that Meta published of its own tables (dlrm_datasets, 2022): in a batch, a row that
// is asked for at all is asked for 12.7 times on average, and 34% of those rows once. Both hold within 5% for the
// tables of dlrm_tiered together, in both sizes; a table alone may be further off.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace tbci::suite {

class LookupLaw {
 public:
  // `lookups`: of this table in one batch, on average.
  LookupLaw(std::int64_t rows, std::int64_t lookups);

  std::int64_t draw(std::mt19937_64& random) const;

  // How often a batch asks for the row of that rank, apart from the popular rows: it falls with the rank, from 0 on.
  double rate_of_rank(std::int64_t rank) const;
  std::int64_t row_of_rank(std::int64_t rank) const;

  std::int64_t popular_rows() const { return static_cast<std::int64_t>(below_.size()); }
  std::int64_t popular_row(std::int64_t number) const;  // 0: asked for most often
  std::int64_t rows() const { return rows_; }

 private:
  std::int64_t rows_, lookups_;
  std::int64_t step_;          // prime to `rows_`: ranks that follow each other lie far apart
  std::vector<double> below_;  // of the popular rows: the probability of this number or a smaller one
};

}  // namespace tbci::suite
