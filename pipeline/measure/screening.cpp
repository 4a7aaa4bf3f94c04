#include "pipeline/measure/screening.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "detect/paired_screen.hpp"
#include "detect/same_binary.hpp"
#include "detect/screen.hpp"
#include "pipeline/measure/interleaved_rounds.hpp"
#include "runner/libraries.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

std::string failure_of(const std::vector<model::Measurement>& measurements) {
  const model::Measurement& last = measurements.back();
  return fmt::format("{}: {}", to_string(last.outcome), one_line(last.message));
}

// The judgement of one series, and its pairs. Where one of the builds has no value, the finding says so.
detect::PairedScreen judge_series(const SubjectContext& context, const MeasuredCase& results,
                                  const model::Series& series) {
  const auto& thresholds = context.config.thresholds.for_series(series);
  const auto pairs = results.pairs_of(series.metric);
  if (!pairs.empty()) return detect::screen_pairs(series, pairs, thresholds, context.config.measure.sampling);
  // A process alone looks for leaks: a second one says nothing more.
  const bool decided = detect::is_leak(series.metric) || model::is_secondary(series.metric);
  return {detect::screen(series, values_of(results.before, series.metric), values_of(results.after, series.metric),
                         thresholds),
          decided};
}

// The metrics that the case's processes measured. A counter that one of the builds did not have is not its fault.
std::vector<model::Series> series_of(const MeasuredCase& results) {
  std::vector<model::Series> all;
  for (const model::Metric metric : model::all_metrics) {
    const bool before = !values_of(results.before, metric).empty(), after = !values_of(results.after, metric).empty();
    if (model::is_secondary(metric) ? before && after : before || after)
      all.push_back({results.measured.benchmark, results.measured.configuration, metric});
  }
  return all;
}

bool is_decided(const SubjectContext& context, const MeasuredCase& results) {
  return std::ranges::all_of(
      series_of(results), [&](const model::Series& series) { return judge_series(context, results, series).decided; });
}

std::vector<ScreenedSeries> judge(const SubjectContext& context, const Comparison& builds,
                                  const MeasuredCase& results) {
  const std::string& old_name = builds.before.name;
  const auto broken = [&](const std::string& reason) {
    model::Finding finding;
    finding.series = {results.measured.benchmark, results.measured.configuration, model::Metric::time};
    finding.verdict = model::Verdict::inconclusive;
    finding.reason = reason;
    return std::vector<ScreenedSeries>{{.finding = finding, .old_build = old_name, .pairs = {}}};
  };
  const bool old_fails = always_fails(results.before);
  const bool new_fails = always_fails(results.after);
  if (old_fails && new_fails && results.after.back().outcome == model::Outcome::unsupported) return {};
  if (new_fails) {
    return broken(fmt::format("fails on {}{}: {}", builds.after.name, old_fails ? " and on " + old_name : "",
                              failure_of(results.after)));
  }
  if (old_fails) return broken(fmt::format("fails on {} alone: {}", old_name, failure_of(results.before)));
  std::vector<ScreenedSeries> screened;
  for (const model::Series& series : series_of(results)) {
    screened.push_back({.finding = judge_series(context, results, series).finding,
                        .old_build = old_name,
                        .pairs = results.pairs_of(series.metric)});
  }
  return screened;
}

// Files that are made of the same inputs are one file in the build cache. The libraries that a worker tells of do not
// do instead: they are BLAS and its like, and equal for builds that differ in everything of their own.
std::string what_is_loaded(const model::Build& build) {
  if (!build.product.folder.empty()) return build.product.folder.string();
  if (build.product.preload.empty()) return {};  // other files may have been installed into a prefix
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
    context.progress.note(fmt::format("the two builds load different libraries: {}", one_line(differ, 600)));
  return detect::compare_binaries({{}, what_is_loaded(before)}, {{}, what_is_loaded(after)});
}

// A model in Python is more than the libraries that it calls.
bool runs_libraries_alone(const model::Series& series) {
  return !series.benchmark.starts_with("torchbench.");
}

}  // namespace

Result<Screen> screen_builds(SubjectContext& context, const ComparisonPlan& plan) {
  const model::Build both[] = {plan.builds.before, plan.builds.after};
  TBCI_ASSIGN(model::Run run, begin_run(context, model::run_keys::screen(plan.key), plan.purpose, both));
  TBCI_ASSIGN(const detect::Binaries binaries, compare_libraries(context, plan.builds));
  const detect::Sampling& sampling = context.config.measure.sampling;
  context.progress.begin_stage("measure",
                               fmt::format("{} cases on {} and {} in turn, at most {} pairs each", plan.cases.size(),
                                           plan.builds.before.name, plan.builds.after.name, sampling.most),
                               static_cast<int>(plan.cases.size()) * sampling.least);
  std::vector<MeasuredCase> all = unmeasured(plan.cases);
  TBCI_TRY(measure_rounds(context, run, plan.builds, all,
                          [&](const MeasuredCase& results) { return is_decided(context, results); }));
  Screen screen{.run = std::move(run), .series = {}};
  for (const MeasuredCase& results : all) {
    for (ScreenedSeries& one : judge(context, plan.builds, results)) {
      if (runs_libraries_alone(one.finding.series))
        one.finding = detect::without_alarm(std::move(one.finding), binaries);
      screen.series.push_back(std::move(one));
    }
  }
  for (const MeasuredCase& results : all)
    screen.cases.push_back({.results = results, .old_build = plan.builds.before.name});
  TBCI_TRY(context.stores.runs.finish(screen.run.id, context.clock.now()));
  const auto unsupported = std::ranges::count_if(all, &MeasuredCase::is_unsupported);
  const auto suspects = std::ranges::count_if(
      screen.series, [](const auto& one) { return one.finding.verdict == model::Verdict::suspect; });
  context.progress.end_stage(
      fmt::format("{} series, {} to look at more closely{}", screen.series.size(), suspects,
                  unsupported > 0 ? fmt::format(", {} cases unsupported here", unsupported) : ""));
  return screen;
}

std::vector<model::Finding> findings_of(const std::vector<ScreenedSeries>& screened) {
  std::vector<model::Finding> findings;
  for (const ScreenedSeries& one : screened) findings.push_back(one.finding);
  return findings;
}

}  // namespace tbci::pipeline
