// How likely each commit is the culprit before anything is measured, and why: from the paths that it touches and the
// operators that became slower. Pure; safe from any thread.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// What a commit touches; empty where it is not known.
struct Touched {
  std::vector<std::string> paths;  ///< in the repository, with `/`
};

/// An operator that takes longer at the bad end than at the good one.
struct SlowerOperator {
  std::string name;     ///< as the profiler names it: `aten::embedding_bag`
  double slowdown = 0;  ///< of it, in any unit that is the same for all; above 0
};

/// Which files an operator is made of: names, or folders with a `/` at the end.
using OperatorSources = std::map<std::string, std::vector<std::string>>;

using model::LikelyPath;

struct PriorInput {
  std::span<const Touched> commits;
  std::span<const SlowerOperator> slower;
  const OperatorSources& sources;
  std::span<const LikelyPath> likely;
};

using model::CommitPrior;

/// No weight is more than this times another: whatever points elsewhere, a few readings outweigh it.
inline constexpr double most_prior_ratio = 50;

/// A weight above 0 for each commit, in their order. A commit that touches a file of an operator counts by that
/// operator's share of the slowdown; one that touches the same folder counts less; all others weigh 1, or what the
/// likeliest of their paths says. Nothing known of any commit: all weigh the same.
std::vector<CommitPrior> prior_of(const PriorInput& input);

}  // namespace tbci::bisect
