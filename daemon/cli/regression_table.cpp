#include "daemon/cli/regression_table.hpp"

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

std::string culprit_of(const model::Regression& regression) {
  if (regression.suspects.empty()) return one_line(regression.reason, 60);
  if (regression.suspects.size() == 1) return regression.suspects.front().substr(0, 12);
  return fmt::format("one of {}", regression.suspects.size());
}

}  // namespace

std::string table_of(const web::queries::RegressionsView& regressions) {
  Table table({{"id", Align::right}, {"night"}, {"series"}, {"change", Align::right}, {"state"}, {"culprit"}});
  for (const web::queries::RegressionView& one : regressions.regressions) {
    table.add({std::to_string(one.regression.id), one.night, to_string(one.regression.finding.series),
               human_change(one.regression.finding.change), std::string(progress_of(one.regression)),
               culprit_of(one.regression)});
  }
  return table.text();
}

}  // namespace tbci::daemon
