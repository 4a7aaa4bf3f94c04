// What `tbci selftest detection` simulates: which rules, with which noise, on which changes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "detect/selftest/campaign.hpp"
#include "detect/selftest/replay.hpp"
#include "detect/threshold_table.hpp"

namespace tbci::daemon {

struct SelftestOptions {
  std::int64_t nights = 2'000'000;  ///< of unchanged series, for each kind of noise; other rules: at most 200,000
  std::int64_t series = 20'000;     ///< with each change; other rules: at most 2,000
  std::uint64_t seed = 1;
  int jobs = 0;                    ///< 0: one for each usable CPU
  int anchor_every = 3;            ///< nights between two measurements of a case against the anchor
  std::vector<std::string> rules;  ///< none: all
  bool from_database = false;
};

/// One campaign with the name of its noise.
struct PlannedCampaign {
  std::string noise;
  detect::selftest::Campaign campaign;
};

/// The rows of the answer, in order. If `recorded` is not empty, it is replayed instead of the noise models, and must
/// outlive the plan. Error (usage): a rule that does not exist, with the nearest name.
Result<std::vector<PlannedCampaign>> plan_selftest(const SelftestOptions& options, const detect::Thresholds& thresholds,
                                                   const std::vector<detect::selftest::Recorded>& recorded);

/// `ours`, `ours-beside` and the rules of others, with their sources.
std::vector<detect::selftest::MethodKind> selftest_methods(const SelftestOptions& options,
                                                           const detect::Thresholds& thresholds);
/// The noise models, one per line.
std::vector<std::string> noise_descriptions();

}  // namespace tbci::daemon
