#include "storage/model/night.hpp"

#include <cmath>

#include "storage/model/names.hpp"

namespace tbci::model {

namespace {

const Names<Verdict> verdicts = {{Verdict::clear, "clear"},
                                 {Verdict::suspect, "suspect"},
                                 {Verdict::regression, "regression"},
                                 {Verdict::improvement, "improvement"},
                                 {Verdict::inconclusive, "inconclusive"},
                                 {Verdict::environment_changed, "environment-changed"}};
const Names<Stage> stages = {{Stage::install, "install"}, {Stage::measure, "measure"}, {Stage::confirm, "confirm"},
                             {Stage::bisect, "bisect"},   {Stage::report, "report"},   {Stage::done, "done"},
                             {Stage::failed, "failed"}};
const Names<RegressionState> regression_states = {{RegressionState::confirmed, "confirmed"},
                                                  {RegressionState::bisecting, "bisecting"},
                                                  {RegressionState::attributed, "attributed"},
                                                  {RegressionState::unattributed, "unattributed"},
                                                  {RegressionState::reported, "reported"}};
const Names<Standing> standings = {{Standing::open, "open"},
                                   {Standing::recovered, "recovered"},
                                   {Standing::accepted, "accepted"},
                                   {Standing::dismissed, "dismissed"},
                                   {Standing::relapsed, "relapsed"}};

}  // namespace

std::string_view to_string(Verdict verdict) {
  return name_of(verdict, verdicts);
}

Result<Verdict> verdict_from(std::string_view text) {
  return value_of_name(text, verdicts, "verdict");
}

double growth_from_nothing(const Finding& finding) {
  return std::isinf(finding.change) ? finding.after - finding.before : 0;
}

std::string_view to_string(Stage stage) {
  return name_of(stage, stages);
}

Result<Stage> stage_from(std::string_view text) {
  return value_of_name(text, stages, "stage");
}

std::string_view to_string(RegressionState state) {
  return name_of(state, regression_states);
}

Result<RegressionState> regression_state_from(std::string_view text) {
  return value_of_name(text, regression_states, "state of a regression");
}

std::string_view to_string(Standing standing) {
  return name_of(standing, standings);
}

Result<Standing> standing_from(std::string_view text) {
  return value_of_name(text, standings, "state of a regression");
}

}  // namespace tbci::model
