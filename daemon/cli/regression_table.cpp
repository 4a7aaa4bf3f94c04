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
  Table table({{"id", Align::right}, {"night"}, {"series"}, {"change", Align::right}, {"state"}, {"culprit"}, {"end"}});
  for (const web::queries::RegressionView& one : regressions.regressions) {
    table.add({std::to_string(one.regression.id), one.night, to_string(one.regression.finding.series),
               human_change(one.regression.finding.change), std::string(progress_of(one.regression)),
               culprit_of(one.regression), one.ended ? web::queries::ending_text(*one.ended) : ""});
  }
  return table.text();
}

std::string improvement_lines(const std::vector<web::queries::ImprovementView>& improvements) {
  std::string text;
  for (const web::queries::ImprovementView& one : improvements) {
    const model::Finding& finding = one.improvement.finding;
    text += fmt::format("{}: {} became better by {}: {}\n", one.night, to_string(finding.series),
                        human_change(finding.change), web::queries::commit_text(one.improvement));
  }
  return text;
}

}  // namespace tbci::daemon
