#include <algorithm>

#include "base/text.hpp"
#include "detect/leak.hpp"
#include "detect/same_binary.hpp"
#include "detect/screen.hpp"
#include "pipeline/measure/comparing.hpp"
#include "pipeline/measure/interleaved_rounds.hpp"
#include "runner/libraries.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

std::vector<detect::Growth> growths_of(const std::vector<model::Measurement>& measurements, model::Metric metric) {
  std::vector<detect::Growth> growths;
  for (const model::Measurement& measurement : measurements) {
    if (const auto value = model::value_of(measurement, metric))
      growths.push_back({*value, model::interval_of(measurement, metric)});
  }
  return growths;
}

std::string failure_of(const std::vector<model::Measurement>& measurements) {
  const model::Measurement& last = measurements.back();
  return fmt::format("{}: {}", to_string(last.outcome), one_line(last.message));
}

std::vector<model::Finding> judge(const SubjectContext& context, const Comparison& builds,
                                  const MeasuredCase& results) {
  const model::Case& measured = results.measured;
  const auto broken = [&](const std::string& reason) {
    model::Finding finding;
    finding.series = {measured.benchmark, measured.configuration, model::Metric::time};
    finding.verdict = model::Verdict::inconclusive;
    finding.reason = reason;
    return std::vector{finding};
  };
  const bool old_fails = always_fails(results.before);
  const bool new_fails = always_fails(results.after);
  if (old_fails && new_fails && results.after.back().outcome == model::Outcome::unsupported) return {};
  if (new_fails) {
    return broken(fmt::format("fails on {}{}: {}", builds.after.name, old_fails ? " and on " + builds.before.name : "",
                              failure_of(results.after)));
  }
  if (old_fails) return broken(fmt::format("fails on {} alone: {}", builds.before.name, failure_of(results.before)));
  std::vector<model::Finding> findings;
  for (const model::Metric metric : model::all_metrics) {
    const auto before = values_of(results.before, metric);
    const auto after = values_of(results.after, metric);
    if (before.empty() && after.empty()) continue;
    // A counter that one of the two did not have is no fault of the build.
    if (model::is_secondary(metric) && (before.empty() || after.empty())) continue;
    const model::Series series{measured.benchmark, measured.configuration, metric};
    const detect::Thresholds thresholds = context.config.thresholds.for_series(series);
    findings.push_back(detect::is_leak(metric) ? detect::screen_leak(series, growths_of(results.before, metric),
                                                                     growths_of(results.after, metric), thresholds)
                                               : detect::screen(series, before, after, thresholds));
  }
  return findings;
}

// Files that are made of the same inputs are one file in the build cache. The libraries that a worker tells of do not
// do instead: they are BLAS and its like, and equal for builds that differ in everything of their own.
std::string what_is_loaded(const model::Build& build) {
  if (build.product.preload.empty()) return {};  // a prefix may be filled anew
  std::string files = build.product.libtorch.string();
  for (const auto& library : build.product.preload) files += '\n' + library.string();
  return files;
}

// Says how the libraries of the builds differ, and whether they do. The builds that we hold were read before their
// libraries were loaded.
Result<detect::Binaries> compare_libraries(SubjectContext& context, const Comparison& builds) {
  TBCI_ASSIGN(const model::Build before, context.stores.builds.get(builds.before.id));
  TBCI_ASSIGN(const model::Build after, context.stores.builds.get(builds.after.id));
  const std::string differ = runner::libraries_diff(before.libraries, after.libraries);
  if (!differ.empty())
    context.progress.note(fmt::format("the builds bring other libraries: {}", one_line(differ, 600)));
  return detect::compare_binaries({{}, what_is_loaded(before)}, {{}, what_is_loaded(after)});
}

// A model in Python is more than the libraries that it calls.
bool runs_libraries_alone(const model::Series& series) {
  return !series.benchmark.starts_with("torchbench.");
}

}  // namespace

Result<std::vector<model::Finding>> screen_builds(SubjectContext& context, const ComparisonPlan& plan) {
  const model::Build both[] = {plan.builds.before, plan.builds.after};
  TBCI_ASSIGN(const model::Run run,
              begin_run(context, model::run_keys::screen(plan.key), model::Purpose::screen, both));
  TBCI_ASSIGN(const detect::Binaries binaries, compare_libraries(context, plan.builds));
  const detect::Sampling& sampling = context.config.measure.sampling;
  context.progress.begin_stage("measure",
                               fmt::format("{} cases on {} and {}, {} processes each", plan.cases.size(),
                                           plan.builds.before.name, plan.builds.after.name, range_of(sampling)),
                               static_cast<int>(plan.cases.size()) * sampling.least);
  std::vector<MeasuredCase> all = unmeasured(plan.cases);
  TBCI_TRY(measure_rounds(context, run, plan.builds, all));
  std::vector<model::Finding> findings;
  int unsupported = 0;
  for (const MeasuredCase& results : all) {
    unsupported += results.is_unsupported() ? 1 : 0;
    for (model::Finding& finding : judge(context, plan.builds, results)) {
      const bool whole = runs_libraries_alone(finding.series);
      findings.push_back(whole ? detect::without_alarm(std::move(finding), binaries) : std::move(finding));
    }
  }
  TBCI_TRY(context.stores.runs.finish(run.id, context.clock.now()));
  const auto suspects = std::count_if(findings.begin(), findings.end(),
                                      [](const auto& f) { return f.verdict == model::Verdict::suspect; });
  context.progress.end_stage(
      fmt::format("{} series, {} to look at more closely{}", findings.size(), suspects,
                  unsupported > 0 ? fmt::format(", {} cases unsupported here", unsupported) : ""));
  return findings;
}

}  // namespace tbci::pipeline
