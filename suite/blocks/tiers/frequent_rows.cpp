#include <algorithm>
#include <set>

#include "suite/blocks/tiers/tiered_tables.hpp"

namespace tbci::suite {
namespace {

// How many ranks of the law a batch asks for at least this often: the rate falls with the rank.
std::int64_t ranks_above(const LookupLaw& law, double rate) {
  std::int64_t low = 0, high = law.rows();
  while (low < high) {
    const std::int64_t middle = (low + high) / 2;
    if (law.rate_of_rank(middle) >= rate) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

struct Frequent {
  CachedRow row;
  double rate;
};

// The rate at which all tables together have about `count` ranks above it.
double rate_for(const std::vector<LookupLaw>& laws, const std::vector<bool>& left_out, std::int64_t count) {
  double low = 0, high = 1;
  for (int halving = 0; halving < 60; ++halving) {
    const double middle = (low + high) / 2;
    std::int64_t above = 0;
    for (std::size_t table = 0; table < laws.size(); ++table)
      above += left_out[table] ? 0 : ranks_above(laws[table], middle);
    (above > count ? low : high) = middle;
  }
  return high;
}

}  // namespace

std::vector<CachedRow> most_frequent_rows(const std::vector<LookupLaw>& laws, const std::vector<bool>& left_out,
                                          std::int64_t count) {
  std::vector<CachedRow> rows;
  std::vector<std::set<std::int64_t>> taken(laws.size());
  for (std::size_t table = 0; table < laws.size(); ++table) {
    for (std::int64_t number = 0; !left_out[table] && number < laws[table].popular_rows(); ++number) {
      rows.push_back({table, laws[table].popular_row(number)});
      taken[table].insert(rows.back().row);
    }
  }
  const double least = rate_for(laws, left_out, count - static_cast<std::int64_t>(rows.size()));
  std::vector<Frequent> others;
  for (std::size_t table = 0; table < laws.size(); ++table) {
    const std::int64_t ranks = left_out[table] ? 0 : ranks_above(laws[table], least);
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t row = laws[table].row_of_rank(rank);
      if (taken[table].count(row) == 0) others.push_back({{table, row}, laws[table].rate_of_rank(rank)});
    }
  }
  std::stable_sort(others.begin(), others.end(), [](const Frequent& a, const Frequent& b) { return a.rate > b.rate; });
  for (const Frequent& other : others) rows.push_back(other.row);
  if (static_cast<std::int64_t>(rows.size()) > count)
    rows.resize(static_cast<std::size_t>(std::max<std::int64_t>(0, count)));
  return rows;
}

}  // namespace tbci::suite
