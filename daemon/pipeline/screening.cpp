#include <algorithm>

#include "base/text.hpp"
#include "daemon/pipeline/comparing.hpp"
#include "detect/screen.hpp"
#include "runner/libraries.hpp"

namespace tbci::daemon {

namespace {

bool never_works(const std::vector<model::Measurement>& measurements) {
  return std::none_of(measurements.begin(), measurements.end(),
                      [](const auto& m) { return m.outcome == model::Outcome::done; });
}

struct CaseResults {
  std::vector<model::Measurement> before, after;
};

std::string failure_of(const std::vector<model::Measurement>& measurements) {
  const model::Measurement& last = measurements.back();
  return fmt::format("{}: {}", to_string(last.outcome), one_line(last.message));
}

std::vector<model::Finding> judge(const Desk& desk, const ComparisonPlan& plan, const model::Case& measured,
                                  const CaseResults& results) {
  const auto broken = [&](const std::string& reason) {
    model::Finding finding;
    finding.series = {measured.benchmark, measured.configuration, model::Metric::time};
    finding.verdict = model::Verdict::inconclusive;
    finding.reason = reason;
    return std::vector{finding};
  };
  const bool old_fails = never_works(results.before);
  const bool new_fails = never_works(results.after);
  if (old_fails && new_fails && results.after.back().outcome == model::Outcome::unsupported) return {};
  if (new_fails) {
    return broken(fmt::format("fails on {}{}: {}", plan.builds.after.name,
                              old_fails ? " and on " + plan.builds.before.name : "", failure_of(results.after)));
  }
  if (old_fails)
    return broken(fmt::format("fails on {} alone: {}", plan.builds.before.name, failure_of(results.before)));
  std::vector<model::Finding> findings;
  for (const model::Metric metric : model::all_metrics) {
    const auto before = values_of(results.before, metric);
    const auto after = values_of(results.after, metric);
    if (before.empty() && after.empty()) continue;
    // A counter that one of the two did not have is no fault of the build.
    if (model::is_evidence(metric) && (before.empty() || after.empty())) continue;
    const model::Series series{measured.benchmark, measured.configuration, metric};
    findings.push_back(detect::screen(series, before, after, desk.config.thresholds.for_series(series)));
  }
  return findings;
}

// A comparison is as good as the worse known of its two sides, so both go on together. One side that never works has
// decided the case.
bool want_more(const Desk& desk, const CaseResults& results) {
  const auto count = static_cast<int>(results.before.size());
  if (count >= desk.config.measure.sampling.least && (never_works(results.before) || never_works(results.after)))
    return false;
  return wants_more(desk, results.before) || wants_more(desk, results.after);
}

bool unsupported_by_both(const CaseResults& results) {
  return results.before.back().outcome == model::Outcome::unsupported &&
         results.after.back().outcome == model::Outcome::unsupported;
}

// The builds that we hold were read before their libraries were loaded.
Status note_libraries(Desk& desk, const Comparison& builds) {
  TBCI_ASSIGN(const model::Build before, desk.stores.builds.get(builds.before.id));
  TBCI_ASSIGN(const model::Build after, desk.stores.builds.get(builds.after.id));
  const std::string differ = runner::libraries_diff(before.libraries, after.libraries);
  if (!differ.empty()) desk.progress.note(fmt::format("the builds bring other libraries: {}", one_line(differ, 600)));
  return {};
}

Result<CaseResults> measure_case(Desk& desk, const ComparisonPlan& plan, const model::Run& run,
                                 const model::Case& measured, int& expected_steps) {
  const int least = desk.config.measure.sampling.least;
  CaseResults results;
  for (int ordinal = 0; want_more(desk, results); ++ordinal) {
    if (ordinal >= least) desk.progress.expect(++expected_steps);
    desk.progress.step(
        fmt::format("{}, process {}{}", to_string(measured), ordinal + 1,
                    ordinal < least ? fmt::format(" of {}", least) : ": its median is not known well yet"));
    TBCI_ASSIGN(MeasuredPair pair, measure_pair(desk, run, plan.builds, measured, ordinal));
    results.before.push_back(std::move(pair.before));
    results.after.push_back(std::move(pair.after));
    if (!unsupported_by_both(results)) continue;
    // It will not be supported in the next process either.
    for (int skipped = ordinal + 1; skipped < least; ++skipped)
      desk.progress.step(to_string(measured) + " is unsupported");
    break;
  }
  return results;
}

}  // namespace

Result<std::vector<model::Finding>> screen_builds(Desk& desk, const ComparisonPlan& plan) {
  const model::Build both[] = {plan.builds.before, plan.builds.after};
  TBCI_ASSIGN(const model::Run run, begin_run(desk, plan.key + "/screen", model::Purpose::screen, both));
  TBCI_TRY(note_libraries(desk, plan.builds));
  const detect::Sampling& sampling = desk.config.measure.sampling;
  int expected_steps = static_cast<int>(plan.cases.size()) * sampling.least;
  desk.progress.begin_stage("measure",
                            fmt::format("{} cases on {} and {}, {} processes each", plan.cases.size(),
                                        plan.builds.before.name, plan.builds.after.name, range_of(sampling)),
                            expected_steps);
  std::vector<model::Finding> findings;
  int unsupported = 0;
  for (const model::Case& measured : plan.cases) {
    TBCI_ASSIGN(const CaseResults results, measure_case(desk, plan, run, measured, expected_steps));
    unsupported += unsupported_by_both(results) ? 1 : 0;
    auto judged = judge(desk, plan, measured, results);
    findings.insert(findings.end(), judged.begin(), judged.end());
  }
  TBCI_TRY(desk.stores.runs.finish(run.id, desk.clock.now()));
  const auto suspects = std::count_if(findings.begin(), findings.end(),
                                      [](const auto& f) { return f.verdict == model::Verdict::suspect; });
  desk.progress.end_stage(fmt::format("{} series, {} to look at more closely{}", findings.size(), suspects,
                                      unsupported > 0 ? fmt::format(", {} cases unsupported here", unsupported) : ""));
  return findings;
}

}  // namespace tbci::daemon
