// The prior of each commit: how likely it is the culprit before any measurement, and why. It depends on the paths that
// the commit touches and on the operators that became slower. Pure; safe from any thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// The paths that a commit touches; empty if they are unknown.
struct Touched {
  std::vector<std::string> paths;  ///< in the repository, with `/`
};

/// An operator that takes longer at the bad end than at the good one.
struct SlowerOperator {
  std::string name;     ///< as the profiler names it: `aten::embedding_bag`
  double slowdown = 0;  ///< in any unit, the same for all operators; above 0
};

/// The source files of each operator: paths, or folders with a trailing `/`.
using OperatorSources = std::map<std::string, std::vector<std::string>>;

using model::LikelyPath;

struct PriorInput {
  std::span<const Touched> commits;
  std::span<const SlowerOperator> slower;
  const OperatorSources* sources = nullptr;  ///< not null
  std::span<const LikelyPath> likely;
};

using model::CommitPrior;

/// The largest ratio of two weights: a few readings outweigh even a wrong prior.
inline constexpr double most_prior_ratio = 50;

/// A weight above 0 for each commit, in their order. A commit that touches a source of an operator gets a weight by
/// that operator's share of the slowdown, and a smaller one if it only touches the same folder. All others get 1, or
/// the factor of their likeliest path. If nothing is known about any commit, all weights are equal.
std::vector<CommitPrior> prior_of(const PriorInput& input);

}  // namespace tbci::bisect
