#include "pipeline/night/night_confirming.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "detect/grouping.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/confirming.hpp"
#include "pipeline/night/creep_watch.hpp"
#include "pipeline/night/improvements.hpp"
#include "pipeline/night/known_rise.hpp"
#include "pipeline/night/old_builds.hpp"
#include "pipeline/night/retest_queue.hpp"

namespace tbci::pipeline {

namespace {

// The builds that the candidates name, ready to be measured.
Result<std::map<std::string, model::Build>> old_builds_of(SubjectContext& context, const ComparisonPlan& plan,
                                                          const std::vector<detect::Candidate>& candidates) {
  std::map<std::string, model::Build> builds = {{plan.builds.before.name, plan.builds.before}};
  for (const detect::Candidate& candidate : candidates) {
    if (builds.contains(candidate.old_build)) continue;
    auto build = build_named(context, candidate.old_build);
    if (!build && build.error().kind == ErrorKind::interrupted) return pass_on(build.error());
    if (build) builds.emplace(candidate.old_build, std::move(*build));
    if (!build)
      context.progress.note(fmt::format("{} waits: {} cannot be measured ({})", to_string(candidate.series),
                                        candidate.old_build, one_line(build.error().message, 200)));
  }
  return builds;
}

// A build that is gone for good cannot decide anything. Its retest ends, or it would stand before each later suspect of
// its series, night after night.
Status leave_out_gone(SubjectContext& context, std::vector<detect::Candidate>& carried) {
  std::map<std::string, bool> gone;  // by the old build
  for (const detect::Candidate& candidate : carried) {
    if (gone.contains(candidate.old_build)) continue;
    TBCI_ASSIGN(const OldBuild old, find_old_build(context, candidate.old_build));
    gone[candidate.old_build] = old.gone;
    if (old.gone)
      context.progress.note(
          fmt::format("tbci drops the retests beside {}, which is gone ({})", candidate.old_build, old.reason));
  }
  std::erase_if(carried, [&](const detect::Candidate& candidate) { return gone.at(candidate.old_build); });
  return {};
}

// A series is asked for once a night: what was suspected of the last days comes before what has crept.
void add_crept(const AnchorWatch& anchor, std::vector<detect::Candidate>& candidates) {
  for (const detect::Candidate& crept : anchor.candidates) {
    const bool there = std::any_of(candidates.begin(), candidates.end(), [&](const detect::Candidate& candidate) {
      return candidate.series == crept.series;
    });
    if (!there) candidates.push_back(crept);
  }
}

// Suspects that are compared with a build from before a change that was known when they were suspected: the build with
// it was not available, or was not the anchor. `anchor`: of today, whose own looks say it.
Status leave_out_accepted(SubjectContext& context, const model::Night& night, const std::string& anchor,
                          std::vector<detect::Candidate>& candidates) {
  for (detect::Candidate& candidate : candidates) {
    if (candidate.first_suspect == night.name) {
      TBCI_ASSIGN(candidate.rise, rise_since(context, candidate.old_build, night, candidate.series));
      continue;
    }
    if (candidate.old_build == anchor) continue;
    TBCI_ASSIGN(const auto suspected, context.stores.nights.find(context.name(), candidate.first_suspect));
    const model::Night& since = suspected ? *suspected : night;
    TBCI_ASSIGN(candidate.rise, rise_since(context, candidate.old_build, since, candidate.series));
  }
  return {};
}

// The step of tonight that could not be judged waits for the next night, unless the retest before it does so itself: of
// a series one is kept.
void keep_waiting(const SubjectContext& context, const detect::TestedCandidate& step, Confirmation& confirmation) {
  std::vector<detect::TestedCandidate> retests;
  std::ranges::copy_if(confirmation.outcomes, std::back_inserter(retests),
                       [&](const auto& outcome) { return outcome.candidate.series == step.candidate.series; });
  if (detect::retests_after(retests, context.config.thresholds.base).empty()) confirmation.outcomes.push_back(step);
}

// A retest must not hide the step of tonight, by finding no change or one of another size: the step is confirmed by
// itself, and takes the place of the retest where it is one.
Status add_hidden(SubjectContext& context, const model::Night& night, const ComparisonPlan& builds,
                  ConfirmationPlan plan, Confirmation& confirmation) {
  auto hidden =
      detect::hidden_suspects(plan.screen->series, confirmation.outcomes, night.name, context.config.thresholds);
  if (hidden.empty()) return {};
  TBCI_TRY(leave_out_accepted(context, night, {}, hidden));
  TBCI_ASSIGN(plan.old_builds, old_builds_of(context, builds, hidden));
  TBCI_ASSIGN(const Confirmation found, confirm_candidates(context, plan, hidden));
  for (const detect::TestedCandidate& outcome : found.outcomes) {
    if (!outcome.looked || !model::is_change(outcome.finding.verdict)) {
      keep_waiting(context, outcome, confirmation);
      continue;
    }
    const auto of_series = [&](const model::Finding& finding) { return finding.series == outcome.finding.series; };
    std::erase_if(confirmation.findings, of_series);
    confirmation.findings.push_back(outcome.finding);
    for (detect::TestedCandidate& retest : confirmation.outcomes) {
      if (retest.candidate.series == outcome.candidate.series) retest = outcome;
    }
  }
  return {};
}

Status keep_confirmation(SubjectContext& context, const model::Night& night, const std::optional<AnchorWatch>& anchor,
                         const Confirmation& confirmation) {
  return context.stores.database.transaction([&]() -> Status {
    for (const model::Finding& finding : confirmation.findings)
      TBCI_TRY(context.stores.nights.put_finding(night.id, storage::Phase::confirm, finding));
    for (const detect::TestedCandidate& outcome : confirmation.outcomes) {
      if (!outcome.looked || outcome.finding.verdict != model::Verdict::regression) continue;
      TBCI_TRY(add_regression(context, night, outcome.finding, outcome.candidate.old_build));
    }
    TBCI_TRY(keep_improvements(context, night, anchor, confirmation.outcomes));
    if (anchor) TBCI_TRY(keep_confirmations(context, night, *anchor, confirmation.outcomes));
    return queue_retests(context, night, confirmation.outcomes);
  });
}

// A night that is judged late, after one of a newer nightly: what that one found since an older build has tonight's
// change in it, and would be reported twice. The name of that night.
Result<std::optional<std::string>> found_by_later_night(SubjectContext& context, const model::Night& tonight,
                                                        const model::Series& series) {
  // Whatever became of it: what a person accepted or dismissed since, or has recovered, was reported as well.
  TBCI_ASSIGN(const auto all, context.stores.nights.series_regressions(context.name(), series));
  for (const model::Regression& one : all) {
    TBCI_ASSIGN(model::Night night, context.stores.nights.get(one.night_id));
    const std::string& old_build = one.old_build.empty() ? night.baseline : one.old_build;
    const bool has_tonight = is_older(old_build, tonight.name) && is_older(tonight.name, night.name);
    if (has_tonight && !model::is_untold(night, one)) return std::optional(std::move(night.name));
  }
  return std::optional<std::string>{};
}

// Reports series that moved together as one event.
void tell_events(SubjectContext& context, const Confirmation& confirmation, const std::string& tonight) {
  std::vector<detect::Moved> moved;
  for (const detect::TestedCandidate& outcome : confirmation.outcomes) {
    if (outcome.looked && model::is_change(outcome.finding.verdict)) {
      moved.push_back(
          {.finding = outcome.finding, .from = outcome.candidate.old_build, .to = tonight, .signature = {}});
    }
  }
  for (const detect::ChangeEvent& event : detect::group_changes(moved)) {
    std::vector<std::string> effects;
    for (const detect::GroupEffect& effect : event.effects) {
      effects.push_back(fmt::format("{} of {} series by {} (worst: {}, {})", to_string(effect.metric), effect.series,
                                    human_change(effect.typical), to_string(moved[effect.worst].finding.series),
                                    human_change(moved[effect.worst].finding.change)));
    }
    context.progress.note(fmt::format("one {} of several series between {} and {}: {}", to_string(event.direction),
                                      event.from, event.to, join(effects, "; ")));
  }
}

}  // namespace

Status add_regression(SubjectContext& context, const model::Night& night, const model::Finding& finding,
                      const std::string& old_build) {
  TBCI_ASSIGN(const auto whole, found_by_later_night(context, night, finding.series));
  if (whole) {
    context.progress.note(fmt::format("{} is a part of what the night {} found", to_string(finding.series), *whole));
    return {};
  }
  const TimePoint now = context.clock.now();
  TBCI_ASSIGN(const auto regression, context.stores.nights.add_regression(night.id, finding, old_build));
  TBCI_ASSIGN(const auto mute, context.stores.decisions.muted(context.name(), finding.series, now));
  if (!mute || !model::is_open(regression.standing)) return {};
  return context.stores.decisions.decide(
      {.id = 0,
       .regression_id = regression.id,
       .standing = model::Standing::dismissed,
       .person = mute->person,
       .reason = fmt::format("the series is muted until {}: {}", to_date(mute->until), mute->reason),
       .decided = now});
}

Status confirm_night(SubjectContext& context, const model::Night& night, const ComparisonPlan& plan,
                     const Screen& screen) {
  TBCI_ASSIGN(auto carried, queued_candidates(context, night));
  TBCI_TRY(leave_out_gone(context, carried));
  TBCI_ASSIGN(const auto anchor, watch_anchor(context, night, plan));
  if (anchor) TBCI_TRY(leave_out_known(context, night, *anchor, carried));
  auto candidates = detect::candidates_of(screen.series, carried, night.name);
  TBCI_TRY(leave_out_accepted(context, night, anchor ? anchor->build.name : std::string(), candidates));
  if (anchor) add_crept(*anchor, candidates);
  TBCI_ASSIGN(auto old_builds, old_builds_of(context, plan, candidates));
  if (anchor) old_builds.insert_or_assign(anchor->build.name, anchor->build);
  const ConfirmationPlan confirmation{.key = plan.key,
                                      .after = plan.builds.after,
                                      .old_builds = std::move(old_builds),
                                      .usual = plan.builds.before.name,
                                      .until = context.clock.now() + context.config.measure.confirm_limit,
                                      .screen = &screen};
  TBCI_ASSIGN(Confirmation confirmed, confirm_candidates(context, confirmation, candidates));
  TBCI_TRY(add_hidden(context, night, plan, confirmation, confirmed));
  tell_events(context, confirmed, night.name);
  return keep_confirmation(context, night, anchor, confirmed);
}

}  // namespace tbci::pipeline
