// What to build next, for all open series at once. Pure: it knows neither git nor processes.
//
// Commits whose compiled inputs are equal make one class, and classes are numbered 0 (good) to n (bad). Where
// everything builds, one series costs at most ceil(log2(n)) builds. In the worst case, where nothing builds, each class
// between the ends is tried once: n - 1 builds.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// Neighbouring commits with equal compiled inputs.
struct CommitClass {
  std::vector<std::size_t> commits;  ///< indices, ascending. The first one brought the change and stands for all
};
/// Commits without a hash of inputs stand alone.
std::vector<CommitClass> classes_of(std::span<const model::Commit> commits);

/// What is known: a row per series, a Side per class. Class 0 is good and the last one is bad in each row. A class that
/// does not build is `unbuildable` in all rows; one on which a model crashes in the rows of that model.
struct Knowledge {
  std::vector<std::vector<model::Side>> rows;
};
/// Of `series` rows over `classes` classes (at least 2).
Knowledge nothing_known(std::size_t series, std::size_t classes);

/// The step lies after `good` and at or before `bad`: the first bad class, and the last good one before it.
struct Interval {
  std::size_t good = 0, bad = 0;
  bool operator==(const Interval&) const = default;
};
Interval interval_of(std::span<const model::Side> row);

/// Whether a class between the ends of the interval has not been tried yet.
bool is_open(std::span<const model::Side> row);

/// The class to build next, or nothing once no series is open: the one that tells the most about all open intervals
/// together, weighted with how likely it is to build. Keeps two away from classes that do not build, while there is
/// anywhere else to go. Deterministic.
std::optional<std::size_t> next(const Knowledge& knowledge);

/// The classes that can't be told apart (yet): those after the last good one, to the first bad one. One: the culprit.
std::vector<std::size_t> suspects(std::span<const model::Side> row);

/// About how many builds are still to come, if all build.
int expected_builds(const Knowledge& knowledge);

}  // namespace tbci::bisect
