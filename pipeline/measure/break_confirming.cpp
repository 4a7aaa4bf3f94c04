#include "pipeline/measure/break_confirming.hpp"

#include <algorithm>
#include <utility>

#include "base/text.hpp"
#include "pipeline/measure/suite_case.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

using detect::Trials;
using model::Verdict;

constexpr int most_troubles = 3;

// Of both builds, all that this runner measured of the case: another machine may have less memory.
struct KnownTrials {
  Trials before, after;
};
Result<KnownTrials> all_known(SubjectContext& context, const Comparison& builds, const model::Case& measured,
                              const std::string& runner) {
  KnownTrials known;
  for (auto [build, trials] : {std::pair{&builds.before, &known.before}, std::pair{&builds.after, &known.after}}) {
    TBCI_ASSIGN(const auto outcomes, context.stores.runs.outcomes_of(build->id, measured, runner));
    for (const storage::NightlyOutcome& one : outcomes) *trials = *trials + trials_of(one);
  }
  return known;
}

std::string how_it_fails(const model::Measurement& failure) {
  if (failure.outcome == model::Outcome::done) return "its results are not finite numbers";
  return fmt::format("{}: {}", to_string(failure.outcome), one_line(failure.message, 300));
}

}  // namespace

model::Series series_of_break(const model::Case& measured) {
  return {measured.benchmark, measured.configuration, model::Metric::outcome};
}

detect::Trials trials_of(const storage::NightlyOutcome& outcome) {
  model::Measurement measurement;
  measurement.outcome = outcome.outcome;
  measurement.message = outcome.message;
  measurement.details = outcome.details;
  measurement.finite = outcome.finite;
  if (!machine_trouble_of(measurement).empty()) return {};
  return detect::trials_of({&measurement, 1});
}

std::map<model::Case, ScreenedTrials> trials_of(const Screen& screen) {
  std::map<model::Case, ScreenedTrials> all;
  for (const ScreenedCase& one : screen.cases) {
    ScreenedTrials& seen = all[one.results.measured];
    seen.old_build = one.old_build;
    seen.before = seen.before + detect::trials_of(one.results.before);
    seen.after = seen.after + detect::trials_of(one.results.after);
  }
  return all;
}

bool looks_broken(const ScreenedTrials& seen) {
  const auto& [old_build, before, after] = seen;
  const bool fails_more = before.failures * after.processes < after.failures * before.processes;
  return after.failures >= detect::suspicious_failures && (before.processes == 0 || fails_more);
}

Result<ConfirmedBreak> confirm_break(SubjectContext& context, const model::Run& run, const Comparison& builds,
                                     const model::Case& measured, std::optional<TimePoint> until) {
  Trials before, after;
  std::string failure, trouble;
  int troubles = 0;
  Verdict verdict = Verdict::suspect;
  for (int ordinal = 0; verdict == Verdict::suspect && troubles <= most_troubles; ++ordinal) {
    if (until && context.clock.now() >= *until) break;
    context.progress.step(fmt::format("{}, pair {}", to_string(measured), ordinal + 1));
    TBCI_ASSIGN(const MeasuredPair pair,
                measure_pair(context, run, builds, {measured, ordinal, Leaks::skip}, Pairing::by_process));
    for (const model::Measurement* one : {&pair.before, &pair.after}) {
      if (const std::string text = machine_trouble_of(*one); !text.empty()) trouble = text;
    }
    if (!trouble.empty()) {
      ++troubles;
      if (troubles <= most_troubles) trouble.clear();
      continue;
    }
    before = before + detect::trials_of({&pair.before, 1});
    after = after + detect::trials_of({&pair.after, 1});
    if (detect::is_failure(pair.after) && failure.empty()) failure = how_it_fails(pair.after);
    verdict = detect::confirm_break(before, after);
  }
  if (verdict == Verdict::regression) {
    TBCI_ASSIGN(const KnownTrials known, all_known(context, builds, measured, run.runner));
    // A case that fails now and then on both builds may fail in these pairs on the new one alone.
    if (detect::log_odds_of_break(known.before, known.after) <= 0) {
      verdict = Verdict::clear;
      before = known.before;
      after = known.after;
    }
  }
  ConfirmedBreak confirmed;
  model::Finding& finding = confirmed.finding;
  finding.series = series_of_break(measured);
  confirmed.troubled = troubles > most_troubles;
  finding.verdict = confirmed.troubled ? Verdict::inconclusive : verdict;
  finding.pairs = after.processes;
  confirmed.looked = verdict != Verdict::suspect || confirmed.troubled;
  if (after.processes > 0) {
    const model::Interval interval = detect::interval_of_share(after);
    finding.before = static_cast<double>(before.failures) / before.processes;
    finding.after = static_cast<double>(after.failures) / after.processes;
    finding.change = finding.after - finding.before;
    finding.low = interval.low;
    finding.high = interval.high;
    finding.reason =
        fmt::format("{} of {} processes fail, and {} of {} of {}{}", after.failures, after.processes, before.failures,
                    before.processes, builds.before.name, failure.empty() ? "" : ": " + failure);
  }
  if (!trouble.empty()) finding.reason = "the machine is in trouble: " + trouble;
  return confirmed;
}

Result<std::vector<model::Finding>> confirm_breaks(SubjectContext& context, const ComparisonPlan& plan,
                                                   const Screen& screen) {
  std::vector<model::Case> failing;
  for (const auto& [measured, one] : trials_of(screen)) {
    if (looks_broken(one)) failing.push_back(measured);
  }
  std::vector<model::Finding> findings;
  if (failing.empty()) return findings;
  context.progress.begin_stage("confirm", fmt::format("{} cases that fail", failing.size()),
                               static_cast<int>(failing.size()) * detect::least_failures);
  const model::Build both[] = {plan.builds.before, plan.builds.after};
  TBCI_ASSIGN(const model::Run run, begin_run(context, model::run_keys::breaks(plan.key, plan.builds.before.name),
                                              model::Purpose::confirm, both));
  for (const model::Case& measured : failing) {
    TBCI_ASSIGN(ConfirmedBreak confirmed, confirm_break(context, run, plan.builds, measured, {}));
    findings.push_back(std::move(confirmed.finding));
  }
  TBCI_TRY(context.stores.runs.finish(run.id, context.clock.now()));
  const auto broken = std::ranges::count(findings, Verdict::regression, &model::Finding::verdict);
  context.progress.end_stage(fmt::format("{} of {} broke", broken, failing.size()));
  return findings;
}

Result<std::optional<model::Measurement>> first_failure_in(SubjectContext& context, const std::string& key,
                                                           const model::Build& build, const model::Case& measured) {
  TBCI_ASSIGN(const auto runs, context.stores.runs.runs_of_key(context.name(), key));
  for (const model::Run& run : runs) {
    TBCI_ASSIGN(auto processes, context.stores.runs.measurements(run.id, build.id, measured));
    for (model::PlacedMeasurement& one : processes) {
      if (detect::is_failure(one.measurement) && machine_trouble_of(one.measurement).empty())
        return std::optional(std::move(one.measurement));
    }
  }
  return std::optional<model::Measurement>{};
}

}  // namespace tbci::pipeline
