#include "pipeline/night/creep_watch.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "detect/creep.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/night/anchor_past.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

// The anchor's build, made again where its files are gone. Nothing where that cannot be.
Result<std::optional<model::Build>> anchored_build(SubjectContext& context, const model::Anchor& anchor) {
  TBCI_ASSIGN(const model::Build known, context.stores.builds.get(*anchor.build_id));
  auto build = known.kind == model::BuildKind::nightly
                   ? install_nightly(context, {.name = known.name, .commit = known.product.commit})
                   : build_commit(context, known.name);
  if (build && build->state == model::BuildState::ready) return std::optional(std::move(*build));
  if (!build && build.error().kind == ErrorKind::interrupted) return pass_on(build.error());
  context.progress.note(fmt::format("tbci does not look for creep: the anchor {} is not available ({})", known.name,
                                    build ? one_line(build->failure, 200) : one_line(build.error().message, 200)));
  return std::optional<model::Build>{};
}

// Whether any series of the case is near enough to be measured each night.
Result<bool> is_watched(SubjectContext& context, const AnchorView& view, const model::Night& night,
                        const model::Case& measured) {
  for (const model::Metric metric : model::all_metrics) {
    const model::Series series{measured.benchmark, measured.configuration, metric};
    TBCI_ASSIGN(const KnownRise rise, known_rise(context, view, night, series));
    TBCI_ASSIGN(const auto reading, reading_of(context, view, night, series, rise, Tonight::is_left_out));
    if (reading.watched) return true;
  }
  return false;
}

// The newest night on which the case's turn came, of those that are still made up for; nothing: of none of them.
std::optional<int> recent_turn(const model::Night& night, std::size_t cases, std::size_t index, std::size_t budget) {
  constexpr int made_up_for = 2;  // nights
  for (int number = night.number - 1; number > 0 && number >= night.number - made_up_for; --number) {
    const auto turns = detect::anchor_rotation(cases, static_cast<std::size_t>(number), budget);
    if (std::binary_search(turns.begin(), turns.end(), index)) return number;
  }
  return std::nullopt;
}

// A turn may bring no look: the night failed, or the case's processes did.
Result<bool> has_no_look_since(SubjectContext& context, const AnchorView& view, const model::Night& night,
                               const model::Case& measured, int number) {
  const model::Series time{measured.benchmark, measured.configuration, model::Metric::time};
  constexpr int tonight_and_before = 2;
  TBCI_ASSIGN(const auto looks, context.stores.anchors.looks_until(view.anchor.id, time, night.id, tonight_and_before));
  for (const model::AnchorLook& look : looks) {
    if (look.night_id == night.id) continue;  // of a night that goes on
    TBCI_ASSIGN(const model::Night looked, context.stores.nights.get(look.night_id));
    if (looked.number >= number) return false;
  }
  return true;
}

// In turn, those whose turn brought no look, and those that are watched.
Result<std::vector<model::Case>> cases_of_tonight(SubjectContext& context, const AnchorView& view,
                                                  const model::Night& night, std::vector<model::Case> cases) {
  std::sort(cases.begin(), cases.end());
  const auto budget = static_cast<std::size_t>(context.config.measure.anchor_cases);
  const auto turns = detect::anchor_rotation(cases.size(), static_cast<std::size_t>(night.number), budget);
  std::vector<model::Case> chosen;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    bool wanted = std::binary_search(turns.begin(), turns.end(), i);
    const auto turn = recent_turn(night, cases.size(), i, budget);
    if (!wanted && turn) {
      TBCI_ASSIGN(wanted, has_no_look_since(context, view, night, cases[i], *turn));
    }
    if (!wanted) {
      TBCI_ASSIGN(wanted, is_watched(context, view, night, cases[i]));
    }
    if (wanted) chosen.push_back(cases[i]);
  }
  return chosen;
}

Result<std::vector<MeasuredPair>> measure_pairs(SubjectContext& context, const model::Run& run,
                                                const Comparison& builds, const model::Case& measured) {
  std::vector<MeasuredPair> pairs;
  std::vector<model::Measurement> before, after;
  for (int ordinal = 0; ordinal < detect::AnchorSettings{}.pairs; ++ordinal) {
    context.progress.step(fmt::format("{} and the anchor, pair {}", to_string(measured), ordinal + 1));
    TBCI_ASSIGN(MeasuredPair pair,
                measure_pair(context, run, builds, {measured, ordinal, leaks_of_next(before, after)}));
    const bool unsupported = pair.after.outcome == model::Outcome::unsupported;
    before.push_back(pair.before);
    after.push_back(pair.after);
    pairs.push_back(std::move(pair));
    if (unsupported) break;
  }
  return pairs;
}

// One look at each series of the case that gave numbers.
Result<std::vector<model::Series>> keep_looks(SubjectContext& context, const AnchorWatch& watch,
                                              const model::Night& night, const model::Case& measured,
                                              const std::vector<MeasuredPair>& pairs) {
  std::vector<model::Series> kept;
  TBCI_ASSIGN(const auto known, context.stores.anchors.of_night(watch.anchor.id, night.id));
  for (const model::Metric metric : model::all_metrics) {
    model::AnchorLook look;
    look.anchor_id = watch.anchor.id;
    look.night_id = night.id;
    look.series = {measured.benchmark, measured.configuration, metric};
    for (const MeasuredPair& pair : pairs) {
      const auto values = pair.of(metric);
      if (values && std::isfinite(values->before) && std::isfinite(values->after))
        look.pairs.emplace_back(values->before, values->after);
    }
    if (look.pairs.empty() || model::is_secondary(metric)) continue;
    kept.push_back(look.series);
    // A night that goes on after its confirmation keeps what that said.
    const bool there = std::any_of(known.begin(), known.end(), [&](const auto& k) { return k.series == look.series; });
    if (!there) TBCI_TRY(context.stores.anchors.keep(look));
  }
  return kept;
}

}  // namespace

Result<std::optional<AnchorWatch>> watch_anchor(SubjectContext& context, const model::Night& night,
                                                const ComparisonPlan& plan) {
  using Nothing = std::optional<AnchorWatch>;
  TBCI_ASSIGN(const auto anchor, context.stores.anchors.current(context.name()));
  if (!anchor || context.config.measure.anchor_cases == 0) return Nothing{};
  TBCI_ASSIGN(const auto build, anchored_build(context, *anchor));
  const bool older = build && (build->kind != model::BuildKind::nightly || is_older(build->name, night.name));
  if (!older || build->id == plan.builds.after.id) return Nothing{};
  AnchorWatch watch{.anchor = *anchor, .build = *build, .candidates = {}};
  TBCI_ASSIGN(const AnchorView view, view_of(context, *anchor, *build, night));
  TBCI_ASSIGN(const auto cases, cases_of_tonight(context, view, night, plan.cases));

  const Comparison builds{*build, plan.builds.after};
  const model::Build both[] = {builds.before, builds.after};
  TBCI_ASSIGN(const model::Run run,
              begin_run(context, model::run_keys::creep(night.name, anchor->id), model::Purpose::confirm, both));
  context.progress.begin_stage(
      "creep", fmt::format("{} cases on {} and the anchor {}", cases.size(), plan.builds.after.name, build->name),
      static_cast<int>(cases.size()) * detect::AnchorSettings{}.pairs);
  for (const model::Case& measured : cases) {
    const auto pairs = measure_pairs(context, run, builds, measured);
    if (!pairs && is_fault_of_builds(pairs.error())) {  // the anchor's turn goes by, and the night goes on
      context.progress.note(fmt::format("{} cannot be measured beside the anchor {}: {}", to_string(measured),
                                        build->name, one_line(pairs.error().message, 200)));
      if (pairs.error().kind == ErrorKind::failed) break;  // the worker is not built again for each case
      continue;
    }
    if (!pairs) return pass_on(pairs.error());
    TBCI_ASSIGN(const auto series, keep_looks(context, watch, night, measured, *pairs));
    for (const model::Series& one : series) {
      TBCI_ASSIGN(const KnownRise rise, known_rise(context, view, night, one));
      TBCI_ASSIGN(const auto reading, reading_of(context, view, night, one, rise, Tonight::counts));
      if (!reading.asks || rise.has_open_creep) continue;
      watch.candidates.push_back({.series = one,
                                  .old_build = build->name,
                                  .pairs = {},
                                  .nights_looked = 0,
                                  .nights_waited = 0,
                                  .suspected = reading.average,
                                  .first_suspect = plan.builds.after.name,
                                  .rise = rise.until(night.name)});
    }
  }
  TBCI_TRY(context.stores.runs.finish(run.id, context.clock.now()));
  context.progress.end_stage(
      fmt::format("{} series have crept; tbci looks at them more closely", watch.candidates.size()));
  return std::optional(std::move(watch));
}

Status leave_out_known(SubjectContext& context, const model::Night& night, const AnchorWatch& watch,
                       std::vector<detect::Candidate>& carried) {
  TBCI_ASSIGN(const AnchorView view, view_of(context, watch.anchor, watch.build, night));
  for (detect::Candidate& candidate : carried) {
    if (candidate.old_build != watch.build.name) continue;
    TBCI_ASSIGN(const KnownRise rise, known_rise(context, view, night, candidate.series));
    candidate.rise = rise.until(night.name);
  }
  return {};
}

Status keep_confirmations(SubjectContext& context, const model::Night& night, const AnchorWatch& watch,
                          const std::vector<detect::TestedCandidate>& outcomes) {
  TBCI_ASSIGN(const auto looks, context.stores.anchors.of_night(watch.anchor.id, night.id));
  for (model::AnchorLook look : looks) {
    for (const detect::TestedCandidate& outcome : outcomes) {
      const bool ours = outcome.candidate.old_build == watch.build.name && outcome.candidate.series == look.series;
      if (!ours || !outcome.looked) continue;
      look.verdict = outcome.finding.verdict;
      look.effect = detect::effect_of(outcome.finding) + outcome.candidate.rise;
      TBCI_TRY(context.stores.anchors.keep(look));
    }
  }
  return {};
}

}  // namespace tbci::pipeline
