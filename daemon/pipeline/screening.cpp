#include <algorithm>

#include "base/text.hpp"
#include "daemon/pipeline/comparing.hpp"
#include "detect/leak.hpp"
#include "detect/screen.hpp"

namespace tbci::daemon {

namespace {

bool never_works(const std::vector<model::Measurement>& measurements) {
  return std::none_of(measurements.begin(), measurements.end(),
                      [](const auto& m) { return m.outcome == model::Outcome::done; });
}

std::vector<double> values_of(const std::vector<model::Measurement>& measurements, model::Metric metric) {
  std::vector<double> values;
  for (const model::Measurement& measurement : measurements) {
    if (const auto value = model::value_of(measurement, metric)) values.push_back(*value);
  }
  return values;
}

std::vector<detect::Growth> growths_of(const std::vector<model::Measurement>& measurements, model::Metric metric) {
  std::vector<detect::Growth> growths;
  for (const model::Measurement& measurement : measurements) {
    if (const auto value = model::value_of(measurement, metric))
      growths.push_back({*value, model::interval_of(measurement, metric)});
  }
  return growths;
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
    const model::Series series{measured.benchmark, measured.configuration, metric};
    findings.push_back(detect::is_leak(metric)
                           ? detect::screen_leak(series, growths_of(results.before, metric),
                                                 growths_of(results.after, metric), desk.config.thresholds)
                           : detect::screen(series, before, after, desk.config.thresholds));
  }
  return findings;
}

}  // namespace

Result<std::vector<model::Finding>> screen_builds(Desk& desk, const ComparisonPlan& plan) {
  TBCI_ASSIGN(const model::Run run, begin_run(desk, plan.key + "/screen", model::Purpose::screen));
  const int processes = desk.config.measure.processes;
  desk.progress.begin_stage("measure",
                            fmt::format("{} cases on {} and {}, {} processes each", plan.cases.size(),
                                        plan.builds.before.name, plan.builds.after.name, processes),
                            static_cast<int>(plan.cases.size()) * processes);
  std::vector<model::Finding> findings;
  int unsupported = 0;
  for (const model::Case& measured : plan.cases) {
    CaseResults results;
    for (int ordinal = 0; ordinal < processes; ++ordinal) {
      desk.progress.step(fmt::format("{}, process {} of {}", to_string(measured), ordinal + 1, processes));
      TBCI_ASSIGN(MeasuredPair pair,
                  measure_pair(desk, run, plan.builds, {measured, ordinal, leaks_of_first(ordinal)}));
      results.before.push_back(std::move(pair.before));
      results.after.push_back(std::move(pair.after));
      const bool nowhere = results.before.back().outcome == model::Outcome::unsupported &&
                           results.after.back().outcome == model::Outcome::unsupported;
      if (!nowhere) continue;
      // It will not be supported in the next process either.
      ++unsupported;
      for (int skipped = ordinal + 1; skipped < processes; ++skipped)
        desk.progress.step(to_string(measured) + " is unsupported");
      break;
    }
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
