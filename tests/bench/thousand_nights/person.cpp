#include "tests/bench/thousand_nights/person.hpp"

namespace tbci::thousand {

namespace {

constexpr int first_day = 4;
constexpr double new_anchor = 0.01;  // probability of a new one on a day, where persons decide

}  // namespace

Status Person::look_in(Program& program, int day) {
  const bool decides = kinds_.contains(Kind::person);
  if (day < first_day || (!decides && !kinds_.contains(Kind::creep))) return {};
  TBCI_ASSIGN(const auto anchor, program.stores().anchors.current(program.context().name()));
  if (!anchor) return set_anchor(program, "the first that was checked");
  TBCI_ASSIGN(const bool reported, creep_was_reported(program, *anchor));
  if (reported) return set_anchor(program, "the creep is accepted");
  if (decides && chance_.happens(new_anchor)) return set_anchor(program, "a release");
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
    if (regression.id <= seen_ || regression.old_build != build.name || !regression.report_id) continue;
    seen_ = regression.id;
    reported = true;
  }
  return reported;
}

}  // namespace tbci::thousand
