#include "suite/blocks/tiers/lookup_law.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tbci::suite {
namespace {

// A row is popular by Zipf's law (1/rank) among as many rows as this share of a batch's lookups, and one lookup of
// forty is of any row: of rank rows * u^3, with u between 0 and 1 by chance.
constexpr double popular_share = 0.056;
constexpr double rare_share = 0.0244;

std::int64_t prime_to(std::int64_t rows) {
  auto step = std::max<std::int64_t>(1, static_cast<std::int64_t>(0.618 * static_cast<double>(rows)));
  while (std::gcd(step, rows) != 1) ++step;
  return step;
}

double unit_interval(std::mt19937_64& random) {
  return static_cast<double>(random() >> 11) * 0x1p-53;
}

}  // namespace

LookupLaw::LookupLaw(std::int64_t rows, std::int64_t lookups) : rows_(rows), lookups_(lookups), step_(prime_to(rows)) {
  const auto wanted = std::llround(popular_share * static_cast<double>(lookups));
  const std::int64_t popular = std::clamp<std::int64_t>(wanted, 1, rows);
  double sum = 0;
  for (std::int64_t rank = 1; rank <= popular; ++rank) below_.push_back(sum += 1.0 / static_cast<double>(rank));
  for (double& each : below_) each /= sum;
}

std::int64_t LookupLaw::draw(std::mt19937_64& random) const {
  const double kind = unit_interval(random), within = unit_interval(random);
  if (kind < rare_share) {
    const double rank = static_cast<double>(rows_) * within * within * within;
    return row_of_rank(std::min(rows_ - 1, static_cast<std::int64_t>(rank)));
  }
  const auto found = std::upper_bound(below_.begin(), below_.end() - 1, within);
  return popular_row(found - below_.begin());
}

double LookupLaw::rate_of_rank(std::int64_t rank) const {
  const double rows = static_cast<double>(rows_), from = static_cast<double>(rank);
  return static_cast<double>(lookups_) * rare_share * (std::cbrt((from + 1) / rows) - std::cbrt(from / rows));
}

std::int64_t LookupLaw::row_of_rank(std::int64_t rank) const {
  return rank * step_ % rows_;
}

std::int64_t LookupLaw::popular_row(std::int64_t number) const {
  return (rows_ / 2 + number * step_) % rows_;
}

}  // namespace tbci::suite
