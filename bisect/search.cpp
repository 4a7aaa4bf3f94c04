#include "bisect/search.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "base/assert.hpp"

namespace tbci::bisect {
namespace {

using model::Side;
using Row = std::vector<Side>;

bool is_near_unbuildable(const Row& row, std::size_t at) {
  return row[at - 1] == Side::unbuildable || row[at + 1] == Side::unbuildable;
}

/// Broken commits come in stretches: the longer the stretch that is known already, the further it likely reaches.
/// `direction` is -1 or 1. The probability that a stretch on that side does not reach `at`.
double chance_of_one_side(const Row& row, std::size_t at, int direction) {
  auto step = [&](std::size_t i) { return direction < 0 ? i - 1 : i + 1; };
  std::size_t nearest = step(at);
  while (row[nearest] == Side::unknown) nearest = step(nearest);
  if (row[nearest] != Side::unbuildable) return 1;
  std::size_t furthest = nearest;
  for (std::size_t i = nearest; row[i] != Side::good && row[i] != Side::bad; i = step(i)) {
    if (row[i] == Side::unbuildable) furthest = i;
  }
  auto distance = [](std::size_t a, std::size_t b) { return static_cast<double>(a < b ? b - a : a - b); };
  return 1 - std::exp2(-distance(at, nearest) / (distance(nearest, furthest) + 1));
}

double chance_to_build(const Row& row, std::size_t at) {
  return chance_of_one_side(row, at, -1) * chance_of_one_side(row, at, 1);
}

/// Bits that a probe at `at` tells where each class of the interval is as likely the culprit as another.
double information(const Interval& interval, std::size_t at) {
  const double bad = static_cast<double>(at - interval.good) / static_cast<double>(interval.bad - interval.good);
  return -bad * std::log2(bad) - (1 - bad) * std::log2(1 - bad);
}

struct Score {
  double bits = 0;
  bool near_unbuildable = false;
};

/// Series that share interval and unknowns are one question.
std::vector<std::pair<Interval, const Row*>> open_questions(const Knowledge& knowledge) {
  std::vector<std::pair<Interval, const Row*>> questions;
  std::set<std::vector<std::size_t>> seen;
  for (const Row& row : knowledge.rows) {
    if (!is_open(row)) continue;
    const Interval interval = interval_of(row);
    std::vector<std::size_t> mark = {interval.good, interval.bad};
    for (std::size_t i = interval.good + 1; i < interval.bad; ++i) {
      if (row[i] == Side::unknown) mark.push_back(i);
    }
    if (seen.insert(std::move(mark)).second) questions.emplace_back(interval, &row);
  }
  return questions;
}

}  // namespace

std::vector<CommitClass> classes_of(std::span<const model::Commit> commits) {
  std::vector<CommitClass> classes;
  for (std::size_t i = 0; i < commits.size(); ++i) {
    const bool as_before = i > 0 && !commits[i].inputs.empty() && commits[i].inputs == commits[i - 1].inputs;
    if (!as_before) classes.emplace_back();
    classes.back().commits.push_back(i);
  }
  return classes;
}

Knowledge nothing_known(std::size_t series, std::size_t classes) {
  TBCI_ASSERT(classes >= 2);
  Row row(classes, Side::unknown);
  row.front() = Side::good;
  row.back() = Side::bad;
  return {std::vector<Row>(series, row)};
}

Interval interval_of(std::span<const Side> row) {
  TBCI_ASSERT(row.size() >= 2 && row.front() == Side::good && row.back() == Side::bad);
  Interval interval;
  while (row[interval.bad] != Side::bad) ++interval.bad;
  interval.good = interval.bad - 1;
  while (row[interval.good] != Side::good) --interval.good;
  return interval;
}

bool is_open(std::span<const Side> row) {
  const Interval interval = interval_of(row);
  for (std::size_t i = interval.good + 1; i < interval.bad; ++i) {
    if (row[i] == Side::unknown) return true;
  }
  return false;
}

std::optional<std::size_t> next(const Knowledge& knowledge) {
  std::map<std::size_t, Score> scores;
  for (const auto& [interval, row] : open_questions(knowledge)) {
    for (std::size_t at = interval.good + 1; at < interval.bad; ++at) {
      if ((*row)[at] != Side::unknown) continue;
      scores[at].bits += information(interval, at) * chance_to_build(*row, at);
      scores[at].near_unbuildable |= is_near_unbuildable(*row, at);
    }
  }
  if (scores.empty()) return std::nullopt;
  auto worse = [](const auto& left, const auto& right) {
    if (left.second.near_unbuildable != right.second.near_unbuildable) return left.second.near_unbuildable;
    // Sums of the same terms in another order differ in their last bits: those are ties, won by the earlier class.
    return left.second.bits < right.second.bits - 1e-9;
  };
  return std::max_element(scores.begin(), scores.end(), worse)->first;
}

std::vector<std::size_t> suspects(std::span<const Side> row) {
  const Interval interval = interval_of(row);
  std::vector<std::size_t> all;
  for (std::size_t i = interval.good + 1; i <= interval.bad; ++i) all.push_back(i);
  return all;
}

int expected_builds(const Knowledge& knowledge) {
  double builds = 0;
  for (const auto& [interval, row] : open_questions(knowledge)) {
    const auto unknown = std::count(row->begin() + static_cast<std::ptrdiff_t>(interval.good),
                                    row->begin() + static_cast<std::ptrdiff_t>(interval.bad), Side::unknown);
    builds += std::ceil(std::log2(static_cast<double>(unknown + 1)));
  }
  return static_cast<int>(builds);
}

}  // namespace tbci::bisect
