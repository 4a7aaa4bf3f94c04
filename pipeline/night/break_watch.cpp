#include "pipeline/night/break_watch.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "base/version_order.hpp"
#include "pipeline/measure/break_confirming.hpp"
#include "pipeline/measure/suite_case.hpp"
#include "pipeline/night/break_history.hpp"
#include "pipeline/night/night_confirming.hpp"
#include "pipeline/night/old_builds.hpp"
#include "pipeline/night/recovery_watch.hpp"
#include "pipeline/night/retest_queue.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

using detect::Trials;
using model::Verdict;

// By running they show that the suite can be listed.
Result<std::vector<model::Case>> models_of(SubjectContext& context, const model::Case& suite) {
  const std::string prefix = suite.benchmark.substr(0, suite.benchmark.size() - 1);
  TBCI_ASSIGN(auto cases, context.stores.runs.measured_cases(context.name()));
  std::erase_if(cases, [&](const model::Case& one) {
    const std::size_t dot = one.benchmark.find('.');  // ends the prefix of every suite but the native one
    return prefix.empty() ? dot != std::string::npos : !one.benchmark.starts_with(prefix);
  });
  return cases;
}

// Whether any of the cases has run on a nightly between the two.
Result<bool> has_run_between(SubjectContext& context, const std::string& found, const model::Night& tonight,
                             const std::vector<model::Case>& cases) {
  const storage::HistoryWindow window{.newest = 1, .since = {}, .before = tonight.name};
  for (const model::Case& one : cases) {
    const model::Series time{one.benchmark, one.configuration, model::Metric::time};
    TBCI_ASSIGN(const auto ran, context.stores.runs.series_history(context.name(), time, window));
    if (!ran.empty() && is_older(found, ran.front().nightly)) return true;
  }
  return false;
}

// Whether a break of the case is known and not over. One that no report names is not. One that a person has
// accepted or dismissed is over once the case has run on later nights.
Result<bool> is_known_break(SubjectContext& context, const model::Night& tonight, const model::Case& measured) {
  TBCI_ASSIGN(const auto all, context.stores.nights.series_regressions(context.name(), series_of_break(measured)));
  const auto last =
      std::find_if(all.rbegin(), all.rend(), [&](const model::Regression& one) { return one.night_id != tonight.id; });
  if (last == all.rend() || last->standing == model::Standing::recovered) return false;
  TBCI_ASSIGN(const model::Night found, context.stores.nights.get(last->night_id));
  if (model::is_open(last->standing)) return !model::is_untold(found, *last);
  if (!is_suite(measured)) {
    TBCI_ASSIGN(const auto over, over_since(context, tonight, found, last->finding));
    return !over.has_value();
  }
  TBCI_ASSIGN(const auto models, models_of(context, measured));
  TBCI_ASSIGN(const bool listed, has_run_between(context, found.name, tonight, models));
  return !listed;
}

// A case that looks broken, and the older build that it is confirmed against.
struct BreakCandidate {
  model::Case measured;
  std::string old_build;
  std::string first_suspect;  // name of the nightly that failed first
  // Of what waits: the old build that tonight's own suspicion names; empty: tonight's screen suspects nothing.
  std::string tonights_build = {};
  int nights_looked = 0;  // that could not decide, as the machine was in trouble
  int nights_waited = 0;  // that could not look
};

bool is_unlisted(const ScreenForBreaks& seen, const model::Case& suite) {
  return std::ranges::find(seen.unlisted, suite) != seen.unlisted.end();
}

// The suite that the case belongs to.
model::Case suite_of(const model::Case& measured) {
  const std::size_t dot = measured.benchmark.find('.');
  return is_suite(measured)
             ? measured
             : case_of_suite(dot == std::string::npos ? std::string() : measured.benchmark.substr(0, dot + 1));
}

// Whether no process of the case can run tonight: its suite is not listed, or there is no worker.
bool cannot_run(const ScreenForBreaks& seen, const model::Case& measured) {
  const bool without_worker = is_unlisted(seen, case_of_suite("")) && seen.screen.series.empty();
  return !is_suite(measured) && (without_worker || is_unlisted(seen, suite_of(measured)));
}

// What waits since an earlier night is confirmed against the old build of that night, as last night's build may fail as
// well.
void add_waiting(std::vector<BreakCandidate>& candidates, const model::QueuedRetest& waiting) {
  BreakCandidate candidate{.measured = waiting.series.measured_case(),
                           .old_build = waiting.old_build,
                           .first_suspect = waiting.first_suspect,
                           .nights_looked = waiting.nights_looked,
                           .nights_waited = waiting.nights_waited};
  const auto there = std::ranges::find(candidates, candidate.measured, &BreakCandidate::measured);
  if (there != candidates.end()) {
    candidate.tonights_build = there->old_build;
    *there = candidate;
  } else {
    candidates.push_back(candidate);
  }
}

// Adds what the night cannot decide to what waits for the next one, unless enough nights have looked or waited.
void queue_for_next_night(std::vector<model::QueuedRetest>& waiting, const BreakCandidate& candidate, bool looked,
                          int most_nights) {
  const int nights_looked = candidate.nights_looked + (looked ? 1 : 0);
  constexpr int most_waits = 30;
  if (nights_looked >= most_nights || candidate.nights_waited >= most_waits) return;
  waiting.push_back({.series = series_of_break(candidate.measured),
                     .old_build = candidate.old_build,
                     .first_suspect = candidate.first_suspect,
                     .suspected = 1,
                     .nights_looked = nights_looked,
                     .nights_waited = looked ? 0 : candidate.nights_waited + 1,
                     .pairs = {}});
}

Result<std::vector<BreakCandidate>> candidates_of(SubjectContext& context, const model::Night& night,
                                                  const Comparison& builds, const ScreenForBreaks& seen) {
  std::vector<BreakCandidate> found;
  const auto add = [&](const model::Case& measured, const std::string& old_build) -> Status {
    TBCI_ASSIGN(const bool known, is_known_break(context, night, measured));
    if (!known) found.push_back({.measured = measured, .old_build = old_build, .first_suspect = night.name});
    return {};
  };
  for (const model::Case& suite : seen.unlisted) TBCI_TRY(add(suite, builds.before.name));
  for (const auto& [measured, one] : trials_of(seen.screen)) {
    if (one.after.failures < detect::suspicious_failures) continue;
    const std::string& screened = one.old_build.empty() ? builds.before.name : one.old_build;
    TBCI_ASSIGN(const auto worked, last_working_nightly(context, night, measured, one.after));
    if (looks_broken(one) || (worked && *worked != screened)) TBCI_TRY(add(measured, worked.value_or(screened)));
  }
  TBCI_ASSIGN(const auto queued, queued_breaks(context, night));
  for (const model::QueuedRetest& waiting : queued) {
    TBCI_ASSIGN(const bool known, is_known_break(context, night, waiting.series.measured_case()));
    if (!known) add_waiting(found, waiting);
  }
  return found;
}

Status keep(SubjectContext& context, const model::Night& night, const std::string& old_build,
            const model::Finding& finding) {
  return context.stores.database.transaction([&]() -> Status {
    model::Finding suspected = finding;
    suspected.verdict = Verdict::suspect;
    TBCI_TRY(context.stores.nights.put_finding(night.id, storage::Phase::screen, suspected));
    TBCI_TRY(context.stores.nights.put_finding(night.id, storage::Phase::confirm, finding));
    if (finding.verdict != Verdict::regression) return {};
    return add_regression(context, night, finding, old_build);
  });
}

// The old build of a candidate; nothing where it is not there. Tonight's replaces one that is gone for good.
Result<std::optional<model::Build>> old_build_of(SubjectContext& context, const Comparison& builds,
                                                 BreakCandidate& candidate) {
  while (true) {
    if (candidate.old_build == builds.before.name) return std::optional(builds.before);
    TBCI_ASSIGN(OldBuild old, find_old_build(context, candidate.old_build));
    if (old.build) return std::move(old.build);
    context.progress.note(fmt::format("tbci cannot tell whether {} is broken: {} cannot be measured ({})",
                                      to_string(candidate.measured), candidate.old_build, old.reason));
    if (!old.gone) return std::optional<model::Build>{};
    candidate.old_build = std::exchange(candidate.tonights_build, {});
    if (candidate.old_build.empty()) return std::optional<model::Build>{};
  }
}

std::optional<Trials> trials_tonight(const ScreenForBreaks& seen, const model::Case& measured) {
  if (is_suite(measured)) {
    if (is_unlisted(seen, measured)) return Trials{1, 1};
    // Without a worker no suite was asked, and nothing was measured.
    const bool unasked = is_unlisted(seen, case_of_suite("")) && seen.screen.series.empty();
    return unasked ? std::nullopt : std::optional(Trials{1, 0});
  }
  const auto all = trials_of(seen.screen);
  const auto found = all.find(measured);
  return found == all.end() || found->second.after.processes == 0 ? std::nullopt : std::optional(found->second.after);
}

// Nights without a failure: until a break that shows in part of the processes would have shown itself in one of them,
// which run in other numbers each night.
Result<int> nights_needed(SubjectContext& context, const model::Night& night, const model::Regression& broken,
                          int tonight) {
  const model::Finding& finding = broken.finding;
  if (is_suite(finding.series.measured_case())) return recovery_nights;  // it lists, or it does not
  TBCI_ASSIGN(const model::Night found, context.stores.nights.get(broken.night_id));
  TBCI_ASSIGN(const int before, quiet_processes(context, night, found, finding));
  return before + tonight >= detect::processes_until_over(finding.low) ? recovery_nights : most_quiet_nights;
}

}  // namespace

Status end_repaired_breaks(SubjectContext& context, const model::Night& night, const ScreenForBreaks& seen) {
  TBCI_ASSIGN(const auto open, context.stores.nights.open_regressions(context.name()));
  for (const model::Regression& regression : open) {
    const model::Case measured = regression.finding.series.measured_case();
    const bool is_break = regression.finding.series.metric == model::Metric::outcome && !is_suite(measured);
    if (!is_break || regression.night_id == night.id) continue;
    const auto trials = trials_tonight(seen, measured);
    TBCI_ASSIGN(const bool later, is_later(context, night, regression));
    if (!later || !trials || trials->failures == 0) continue;
    TBCI_ASSIGN(const model::Night found, context.stores.nights.get(regression.night_id));
    TBCI_ASSIGN(const auto over, over_since(context, night, found, regression.finding));
    if (!over) continue;
    const std::string reason = fmt::format("all its processes ran up to {}; it fails again on {}", *over, night.name);
    context.progress.note(fmt::format("{} had recovered: {}", to_string(regression.finding.series), reason));
    TBCI_TRY(mark_recovered(context, regression, reason));
  }
  return {};
}

Status confirm_breaks(SubjectContext& context, const model::Night& night, const Comparison& builds,
                      const ScreenForBreaks& seen) {
  TBCI_ASSIGN(auto candidates, candidates_of(context, night, builds, seen));
  if (candidates.empty()) return queue_breaks(context, night, {});
  const TimePoint until = context.clock.now() + context.config.measure.confirm_limit;
  context.progress.begin_stage("confirm", fmt::format("{} cases that fail", candidates.size()),
                               static_cast<int>(candidates.size()) * detect::least_failures);
  std::size_t broken = 0;
  std::map<std::string, model::Run> runs;  // by the old build
  std::vector<model::QueuedRetest> waiting;
  const int most_nights = context.config.thresholds.base.most_nights;
  for (BreakCandidate& candidate : candidates) {
    TBCI_ASSIGN(const auto old_build, old_build_of(context, builds, candidate));
    if (candidate.old_build.empty()) continue;  // gone: nothing is left to compare with
    if (!old_build || cannot_run(seen, candidate.measured) || context.clock.now() >= until) {
      queue_for_next_night(waiting, candidate, false, most_nights);
      continue;
    }
    const Comparison both{*old_build, builds.after};
    auto run = runs.find(candidate.old_build);
    if (run == runs.end()) {
      const model::Build pair[] = {both.before, both.after};
      TBCI_ASSIGN(model::Run begun, begin_run(context, model::run_keys::breaks(night.name, candidate.old_build),
                                              model::Purpose::confirm, pair));
      run = runs.emplace(candidate.old_build, std::move(begun)).first;
    }
    const auto confirmed = confirm_break(context, run->second, both, candidate.measured, until);
    // The worker does not build against one of the two.
    if (!confirmed && is_fault_of_builds(confirmed.error())) {
      queue_for_next_night(waiting, candidate, true, most_nights);
      continue;
    }
    if (!confirmed) return pass_on(confirmed.error());
    if (!confirmed->looked || confirmed->troubled)
      queue_for_next_night(waiting, candidate, confirmed->looked, most_nights);
    if (!confirmed->looked) continue;
    TBCI_TRY(keep(context, night, candidate.old_build, confirmed->finding));
    if (confirmed->finding.verdict != Verdict::regression) continue;
    ++broken;
    context.progress.note(fmt::format("{} broke: {}", to_string(candidate.measured), confirmed->finding.reason));
  }
  for (const auto& [name, run] : runs) TBCI_TRY(context.stores.runs.finish(run.id, context.clock.now()));
  context.progress.end_stage(fmt::format("{} of {} broke", broken, candidates.size()));
  return queue_breaks(context, night, waiting);
}

Status watch_repairs(SubjectContext& context, const model::Night& night, const ScreenForBreaks& seen) {
  TBCI_ASSIGN(const auto open, context.stores.nights.open_regressions(context.name()));
  for (const model::Regression& regression : open) {
    if (regression.finding.series.metric != model::Metric::outcome || regression.night_id == night.id) continue;
    TBCI_ASSIGN(const bool looked, context.stores.decisions.has_recovery_look(regression.id, night.id));
    TBCI_ASSIGN(const bool later, is_later(context, night, regression));
    const auto trials = trials_tonight(seen, regression.finding.series.measured_case());
    if (looked || !later || !trials) continue;
    const Verdict verdict = trials->failures == 0 ? Verdict::clear : Verdict::suspect;
    TBCI_ASSIGN(const int needed, nights_needed(context, night, regression, trials->processes));
    TBCI_TRY(keep_recovery_look(context, night, regression,
                                {.verdict = verdict, .what = "all its processes ran", .nights_needed = needed}));
  }
  return {};
}

Result<std::optional<model::Measurement>> first_failure(SubjectContext& context, const model::Regression& regression) {
  TBCI_ASSIGN(const model::Night night, context.stores.nights.get(regression.night_id));
  TBCI_ASSIGN(const auto build, context.stores.builds.find(context.name(), model::BuildKind::nightly, night.name));
  if (!build) return std::optional<model::Measurement>{};
  const std::string key =
      model::run_keys::breaks(night.name, regression.old_build.empty() ? night.baseline : regression.old_build);
  return first_failure_in(context, key, *build, regression.finding.series.measured_case());
}

}  // namespace tbci::pipeline
