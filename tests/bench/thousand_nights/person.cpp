#include "tests/bench/thousand_nights/person.hpp"

#include "pipeline/night/regression_decisions.hpp"

namespace tbci::thousand {

namespace {

constexpr int first_day = 4;
constexpr double new_anchor = 0.01;      // probability of a new one on a day, where persons decide
constexpr double accepted_share = 0.15;  // share of the regressions that are accepted
constexpr double muted_share = 0.03;     // share of those whose series is muted for a while

}  // namespace

Status Person::look_in(Program& program, int day) {
  const bool decides = kinds_.contains(Kind::person);
  if (day < first_day || (!decides && !kinds_.contains(Kind::creep))) return {};
  TBCI_ASSIGN(const auto anchor, program.stores().anchors.current(program.context().name()));
  if (decides) TBCI_TRY(decide(program, anchor.has_value()));
  TBCI_TRY(end_unwatched(program));
  if (!anchor) return set_anchor(program, "the first that was checked");
  TBCI_ASSIGN(const auto silent, program.stores().anchors.silent(program.context().name()));
  if (silent) return set_anchor(program, "the old one is gone");  // as `tbci status` asks for
  TBCI_ASSIGN(const bool reported, creep_was_reported(program, *anchor));
  if (reported) return set_anchor(program, "the creep is accepted");
  if (decides && chance_.happens(new_anchor)) return set_anchor(program, "a release");
  return {};
}

Status Person::decide(Program& program, bool has_anchor) {
  TBCI_ASSIGN(const auto regressions, program.stores().nights.open_regressions(program.context().name()));
  for (const model::Regression& regression : regressions) {
    if (regression.id <= seen_ || !regression.report_id) continue;
    seen_ = regression.id;
    const double chance = chance_.uniform();
    const bool may_move = has_anchor && regression.finding.series.metric != model::Metric::outcome;
    if (chance < accepted_share) TBCI_TRY(accept(program, regression, may_move && chance_.happens(0.5)));
    if (chance > 1 - muted_share) TBCI_TRY(mute(program, regression.finding.series));
  }
  return {};
}

// As `tbci status` asks for: the history says that it is over, and no build of that time can be measured.
Status Person::end_unwatched(Program& program) {
  storage::Stores& stores = program.stores();
  TBCI_ASSIGN(const auto unwatched, stores.decisions.unwatched(program.context().name()));
  for (const model::UnwatchedRegression& one : unwatched) {
    const pipeline::DecisionBy by{
        .person = "Ada", .reason = "nothing of that time is left", .now = program.context().clock.now()};
    TBCI_TRY(pipeline::dismiss_regression(stores, one.id, by));
  }
  return {};
}

Status Person::accept(Program& program, const model::Regression& regression, bool anchor) {
  TBCI_ASSIGN(const model::Night night, program.stores().nights.get(regression.night_id));
  const pipeline::DecisionBy by{
      .person = "Ada", .reason = "the price of something else", .now = program.context().clock.now()};
  TBCI_TRY(pipeline::accept_regression(program.stores(), regression.id, by, anchor));
  diary_.words.push_back(
      {.series = regression.finding.series, .nightly = night.name, .anchor = anchor, .from = {}, .until = {}});
  return {};
}

Status Person::mute(Program& program, const model::Series& series) {
  const TimePoint now = program.context().clock.now(), until = now + std::chrono::days(chance_.whole(5, 30));
  TBCI_TRY(pipeline::mute_series(program.stores(), program.context().name(), series, until,
                                 {.person = "Ada", .reason = "its data set is being moved", .now = now}));
  diary_.words.push_back({.series = series, .nightly = "", .anchor = false, .from = now, .until = until});
  return {};
}

Status Person::set_anchor(Program& program, const std::string& reason) {
  storage::Stores& stores = program.stores();
  pipeline::SubjectContext& context = program.context();
  TBCI_ASSIGN(const auto nights, stores.nights.list(context.name(), 20));
  for (const model::Night& night : nights) {
    if (night.stage != model::Stage::done) continue;
    TBCI_ASSIGN(const auto build, stores.builds.find(context.name(), model::BuildKind::nightly, night.name));
    if (!build || build->state != model::BuildState::ready) continue;
    TBCI_TRY(stores.anchors.set({.id = 0,
                                 .subject = context.name(),
                                 .build_id = build->id,
                                 .person = "Ada",
                                 .reason = reason,
                                 .set = context.clock.now()}));
    return {};
  }
  return {};
}

Result<bool> Person::creep_was_reported(Program& program, const model::Anchor& anchor) {
  TBCI_ASSIGN(const model::Build build, program.stores().builds.get(*anchor.build_id));
  TBCI_ASSIGN(const auto regressions, program.stores().nights.open_regressions(program.context().name()));
  bool reported = false;
  for (const model::Regression& regression : regressions) {
    if (regression.id <= crept_ || regression.old_build != build.name || !regression.report_id) continue;
    crept_ = regression.id;
    reported = true;
  }
  return reported;
}

}  // namespace tbci::thousand
