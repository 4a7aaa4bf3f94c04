#include "suite/ranks/clicks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "suite/split_mix.hpp"

namespace tbci::suite::ranks {
namespace {

// Few rows get most lookups, as in production: the row of rank r is asked for about 1/r as often as the first (Zipf).
class SkewedRows {
 public:
  SkewedRows(std::int64_t rows, std::uint64_t seed)
      : rows_(rows), range_(std::log(static_cast<double>(rows) + 1.0)), step_(rows / 2 + 1) {
    while (std::gcd(step_, rows_) != 1) ++step_;
    shift_ = static_cast<std::int64_t>(SplitMix(seed).next() % static_cast<std::uint64_t>(rows));
  }

  std::int32_t next(SplitMix& random) const {
    const auto rank = static_cast<std::int64_t>(std::exp(random.unit() * range_)) - 1;
    // The busiest rows lie apart: the step has no divisor in common with the rows, so each rank has a row of its own.
    return static_cast<std::int32_t>((std::min(rank, rows_ - 1) * step_ + shift_) % rows_);
  }

 private:
  std::int64_t rows_;
  double range_;
  std::int64_t step_, shift_;
};

}  // namespace

Samples samples_of(int rank, int ranks, std::int64_t batch) {
  const std::int64_t first = batch * rank / ranks;
  return {first, batch * (rank + 1) / ranks - first};
}

Clicks draw_clicks(const ClickShape& shape, std::uint64_t seed, std::uint64_t iteration, Samples samples) {
  std::vector<SkewedRows> rows;
  for (std::size_t table = 0; table < shape.tables.size(); ++table)
    rows.emplace_back(shape.tables[table].rows, seed + table);
  Clicks clicks;
  clicks.tables.resize(shape.tables.size());
  const std::uint64_t of_iteration = SplitMix(SplitMix(seed).next() ^ iteration).next();
  for (std::int64_t sample = samples.first; sample < samples.first + samples.count; ++sample) {
    SplitMix random(of_iteration + static_cast<std::uint64_t>(sample) * 0xd1342543de82ef95U);
    for (std::int64_t i = 0; i < shape.dense; ++i) clicks.dense.push_back(static_cast<float>(random.unit()));
    clicks.target.push_back(static_cast<float>(random.unit()));
    for (std::size_t table = 0; table < shape.tables.size(); ++table) {
      const auto choices = static_cast<std::uint64_t>(2 * shape.tables[table].lookups - 1);
      const auto length = static_cast<std::int32_t>(random.next() % choices) + 1;
      Asked& asked = clicks.tables[table];
      asked.lengths.push_back(length);
      for (std::int32_t i = 0; i < length; ++i) asked.rows.push_back(rows[table].next(random));
    }
  }
  return clicks;
}

}  // namespace tbci::suite::ranks
