// Chooses the next builds for all series of a search at once. Pure: it uses neither git nor processes.
//
// Commits whose compiled inputs are equal form one class; classes are numbered from 0 (good end) to n (bad end). If
// everything builds, one step costs at most ceil(log2(n)) builds, and two more with a prior that points elsewhere. In
// the worst case, where nothing builds, each class that is not skipped (see bisect/lost_stretch.hpp) is tried once.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bisect/next_action.hpp"

namespace tbci::bisect {

/// A step of one series whose class is not found yet: it lies after class `good`, at or before class `bad`.
struct OpenStep {
  std::size_t good = 0, bad = 0;
  std::vector<ClassState> states;  ///< of each class of the search
  std::vector<double> weights;     ///< of each class of the search, above 0: how likely it is the culprit
  int builds_left = 0;             ///< limit on further builds, whatever the prior says, if all build; 0: no limit
};

/// The classes to build next, at most `builders`; none when no open step has an untried class left. Chooses those that
/// together give the most information about all open steps (the summed entropy of the parts that they cut each one
/// into), weighted with the probability that they build. Equal open steps count once. Avoids the neighbours of classes
/// that do not build while there is another choice. Deterministic; ascending.
std::vector<std::size_t> next_builds(std::span<const OpenStep> open_steps, std::size_t builders);

/// The most builds that one step takes among `classes` classes, both ends measured, if all build:
/// ceil(log2(classes that the step may lie at)).
int most_builds_of(std::size_t classes);

/// Estimate of the builds still to come, if all build.
int expected_builds(std::span<const OpenStep> open_steps);

}  // namespace tbci::bisect
