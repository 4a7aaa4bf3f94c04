// The settings of a search.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "bisect/next_action.hpp"
#include "detect/threshold_table.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// Whether a build is measured in pairs with the good end, so that a drift of the machine shifts both.
enum class Interleave {
  automatic,  ///< pairs for the ends and the first probes; single processes afterwards, until the machine drifts
  always
};

struct SearchSettings {
  detect::ThresholdTable thresholds;
  Certainty certainty;
  int least_check_pairs = 3;  ///< pairs of a culprit and its parent
  int most_check_pairs = 80;
  /// Pairs of a culprit and its parent where the number does not vary. 0: none; then each level that lies between two
  /// steps has two readings before an answer rests on it.
  int exact_check_pairs = 1;
  Interleave interleave = Interleave::automatic;
  /// Cases that are measured in pairs from the beginning: those whose pairs hardly feel the machine's noise.
  std::set<model::Case> paired_cases;
  bool either_direction = false;  ///< search for improvements as well
  int most_builds = 0;            ///< after these the search answers with the commits still in doubt; 0: no limit
  std::size_t builders = 1;       ///< builds at the same time
  /// Weights above 0, one for each commit in their order: how likely it is the culprit of the series (see
  /// bisect/prior.hpp). For a series without weights all commits are equally likely.
  std::map<model::Series, std::vector<double>> priors;
  /// The change between the ends that pairs of other builds of them showed (the nightlies), as detect::effect has it.
  /// Where the steps found explain much less of it, the bad end is measured again before an answer.
  std::map<model::Series, double> expected;
};

}  // namespace tbci::bisect
