// The answer of `tbci selftest detection`, as tables and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "detect/selftest/campaign.hpp"

namespace tbci::daemon {

struct SelftestRow {
  std::string noise, rule;
  detect::selftest::Scenario scenario;
  detect::selftest::Tally tally;
};

/// False alarms with their cost, steps, and creep with bad nights: three tables.
std::string selftest_text(const std::vector<SelftestRow>& rows);
nlohmann::json selftest_json(const std::vector<SelftestRow>& rows);
/// Regressions that our own judgement filed where there were none.
std::int64_t our_false_alarms(const std::vector<SelftestRow>& rows);

}  // namespace tbci::daemon
