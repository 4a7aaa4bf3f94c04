// What to build next, for all open regressions at once. Pure: it knows neither git nor processes.
//
// Commits whose compiled inputs are equal make one class, and classes are numbered 0 (good) to n (bad). Where
// everything builds, one step costs at most ceil(log2(n)) builds, with a prior that points elsewhere at most two more.
// In the worst case, where nothing builds, each class between the ends is tried once: n - 1 builds.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bisect/next_step.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// Neighbouring commits with equal compiled inputs.
struct CommitClass {
  std::vector<std::size_t> commits;  ///< indices, ascending. The first one brought the change and stands for all
};
/// Commits without a hash of inputs stand alone.
std::vector<CommitClass> classes_of(std::span<const model::Commit> commits);

/// A step that lies after class `good`, at or before class `bad`.
struct Question {
  std::size_t good = 0, bad = 0;
  std::vector<ClassState> states;  ///< of each class of the day
  std::vector<double> weights;     ///< of each class of the day, above 0: how likely it is the culprit
  int builds_left = 0;             ///< so many must suffice whatever the prior says, where all builds; 0: no such bound
};

/// The classes to build next, at most `builders`, none where no question has an untried class left: those that together
/// tell the most about all questions (the summed entropy of the parts that they cut each one into), weighted with how
/// likely they are to build. Equal questions count once. Keeps two away from classes that do not build, while there is
/// anywhere else to go. Deterministic; ascending.
std::vector<std::size_t> next_builds(std::span<const Question> questions, std::size_t builders);

/// Builds that a day of so many classes between a measured good end and a measured bad end takes at the most, for one
/// step: ceil(log2(steps that it may be)).
int most_builds_of(std::size_t classes);

/// About how many builds are still to come, if all build.
int expected_builds(std::span<const Question> questions);

}  // namespace tbci::bisect
