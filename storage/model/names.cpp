// The names of the enumerations, as the database and JSON have them.
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/build.hpp"
#include "storage/model/event.hpp"
#include "storage/model/improvement.hpp"
#include "storage/model/measurement.hpp"
#include "storage/model/night.hpp"
#include "storage/model/report.hpp"

namespace tbci::model {

namespace {

template <typename Enum>
using Names = std::vector<std::pair<Enum, std::string_view>>;

template <typename Enum>
std::string_view name_of(Enum value, const Names<Enum>& names) {
  for (const auto& [known, name] : names) {
    if (known == value) return name;
  }
  TBCI_ASSERT(false);
}

template <typename Enum>
Result<Enum> value_of_name(std::string_view text, const Names<Enum>& names, std::string_view kind) {
  for (const auto& [value, name] : names) {
    if (name == text) return value;
  }
  return fail(ErrorKind::failed, "unknown {} '{}'", kind, one_line(text, 60));
}

const Names<BuildKind> build_kinds = {{BuildKind::nightly, "nightly"}, {BuildKind::commit, "commit"}};
const Names<EventKind> event_kinds = {{EventKind::environment, "environment"}, {EventKind::moved, "moved"}};
const Names<BuildState> build_states = {
    {BuildState::pending, "pending"}, {BuildState::ready, "ready"}, {BuildState::failed, "failed"}};
const Names<Outcome> outcomes = {
    {Outcome::done, "done"},           {Outcome::unsupported, "unsupported"}, {Outcome::out_of_memory, "out_of_memory"},
    {Outcome::exception, "exception"}, {Outcome::crashed, "crashed"},         {Outcome::timed_out, "timed_out"},
    {Outcome::protocol, "protocol"}};
const Names<Purpose> purposes = {{Purpose::screen, "screen"},
                                 {Purpose::confirm, "confirm"},
                                 {Purpose::bisect, "bisect"},
                                 {Purpose::manual, "manual"}};
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
const Names<ImprovementState> improvement_states = {{ImprovementState::confirmed, "confirmed"},
                                                    {ImprovementState::attributed, "attributed"},
                                                    {ImprovementState::unattributed, "unattributed"}};
const Names<Standing> standings = {{Standing::open, "open"},
                                   {Standing::recovered, "recovered"},
                                   {Standing::accepted, "accepted"},
                                   {Standing::dismissed, "dismissed"},
                                   {Standing::relapsed, "relapsed"}};
const Names<Side> sides = {
    {Side::unknown, "unknown"}, {Side::good, "good"}, {Side::bad, "bad"}, {Side::unbuildable, "unbuildable"}};
const Names<DeliveryState> delivery_states = {
    {DeliveryState::pending, "pending"}, {DeliveryState::delivered, "delivered"}, {DeliveryState::failed, "failed"}};

}  // namespace

std::string_view to_string(BuildKind kind) {
  return name_of(kind, build_kinds);
}
std::string_view to_string(BuildState state) {
  return name_of(state, build_states);
}
std::string_view to_string(Outcome outcome) {
  return name_of(outcome, outcomes);
}
std::string_view to_string(Purpose purpose) {
  return name_of(purpose, purposes);
}
std::string_view to_string(Verdict verdict) {
  return name_of(verdict, verdicts);
}
std::string_view to_string(Stage stage) {
  return name_of(stage, stages);
}
std::string_view to_string(RegressionState state) {
  return name_of(state, regression_states);
}
std::string_view to_string(ImprovementState state) {
  return name_of(state, improvement_states);
}
std::string_view to_string(Standing standing) {
  return name_of(standing, standings);
}
std::string_view to_string(Side side) {
  return name_of(side, sides);
}
std::string_view to_string(DeliveryState state) {
  return name_of(state, delivery_states);
}

Result<BuildKind> build_kind_from(std::string_view text) {
  return value_of_name(text, build_kinds, "kind of build");
}
Result<BuildState> build_state_from(std::string_view text) {
  return value_of_name(text, build_states, "state of a build");
}
Result<Outcome> outcome_from(std::string_view text) {
  return value_of_name(text, outcomes, "outcome");
}
Result<Purpose> purpose_from(std::string_view text) {
  return value_of_name(text, purposes, "purpose");
}
Result<Verdict> verdict_from(std::string_view text) {
  return value_of_name(text, verdicts, "verdict");
}
Result<Stage> stage_from(std::string_view text) {
  return value_of_name(text, stages, "stage");
}
Result<RegressionState> regression_state_from(std::string_view text) {
  return value_of_name(text, regression_states, "state of a regression");
}
Result<ImprovementState> improvement_state_from(std::string_view text) {
  return value_of_name(text, improvement_states, "state of an improvement");
}
Result<Standing> standing_from(std::string_view text) {
  return value_of_name(text, standings, "state of a regression");
}
Result<Side> side_from(std::string_view text) {
  return value_of_name(text, sides, "side");
}
Result<DeliveryState> delivery_state_from(std::string_view text) {
  return value_of_name(text, delivery_states, "state of a delivery");
}

std::string_view to_string(EventKind kind) {
  return name_of(kind, event_kinds);
}
Result<EventKind> event_kind_from(std::string_view text) {
  return value_of_name(text, event_kinds, "kind of event");
}

}  // namespace tbci::model
