#include "daemon/pipeline/measuring.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "runner/environment.hpp"

namespace tbci::daemon {

namespace {

Result<model::Measurement> measure_now(Desk& desk, const model::Build& build, const Process& process) {
  if (process.leaks == Leaks::skip) return desk.workshop.measure(build.product, process.measured, desk.stop);
  return desk.workshop.measure_growth(build.product, process.measured, desk.stop);
}

}  // namespace

Leaks leaks_of_first(int ordinal) {
  return ordinal == 0 ? Leaks::watch : Leaks::skip;
}

Leaks leaks_of(const std::vector<model::Series>& series, const model::Case& measured) {
  const bool any = std::any_of(series.begin(), series.end(), [&](const model::Series& one) {
    return detect::is_leak(one.metric) && one.measured_case() == measured;
  });
  return any ? Leaks::watch : Leaks::skip;
}

Result<model::Measurement> measure_once(Desk& desk, const model::Run& run, const model::Build& build,
                                        const Process& process) {
  TBCI_ASSIGN(const auto stored, desk.stores.runs.measurements(run.id, build.id, process.measured));
  for (const model::PlacedMeasurement& placed : stored) {
    if (placed.place.ordinal == process.ordinal) return placed.measurement;
  }
  TBCI_ASSIGN(model::Measurement fresh, measure_now(desk, build, process));
  TBCI_TRY(desk.stores.runs.add({.run_id = run.id, .build_id = build.id, .ordinal = process.ordinal}, fresh));
  return fresh;
}

std::optional<detect::Pair> MeasuredPair::of(model::Metric metric) const {
  const auto old_value = model::value_of(before, metric);
  const auto new_value = model::value_of(after, metric);
  if (!old_value || !new_value) return std::nullopt;
  return detect::Pair{*old_value, *new_value, model::interval_of(before, metric), model::interval_of(after, metric)};
}

Result<MeasuredPair> measure_pair(Desk& desk, const model::Run& run, const Comparison& builds, const Process& process) {
  TBCI_ASSIGN(model::Measurement before, measure_once(desk, run, builds.before, process));
  TBCI_ASSIGN(model::Measurement after, measure_once(desk, run, builds.after, process));
  return MeasuredPair{std::move(before), std::move(after)};
}

Result<model::Run> begin_run(Desk& desk, const std::string& key, model::Purpose purpose) {
  TBCI_ASSIGN(const model::Environment environment, desk.workshop.environment(desk.stop));
  storage::RunPlan plan{.subject = desk.name(), .key = key, .purpose = purpose, .runner = desk.config.runner.name};
  TBCI_ASSIGN(const auto earlier, desk.stores.runs.find(desk.name(), key));
  const std::string fingerprint = environment.fingerprint();
  if (earlier && earlier->environment != fingerprint) {
    // Numbers of two environments are never mixed in one run: the run begins anew, the old one stays on record.
    TBCI_ASSIGN(const auto old_environment, desk.stores.runs.environment(earlier->environment));
    const std::string what = old_environment ? runner::readable_diff(*old_environment, environment) : "unknown";
    desk.progress.note(
        fmt::format("the machine changed since {} began ({}): it is measured anew", key, one_line(what)));
    plan.key += "@" + fingerprint.substr(0, 12);
  }
  return desk.stores.runs.begin(plan, environment, desk.clock.now());
}

Result<std::vector<model::Case>> wanted_cases(Desk& desk, const model::Product& product) {
  TBCI_ASSIGN(const auto suite, desk.workshop.benchmarks(product, desk.stop));
  std::vector<std::string> names;
  for (const runner::BenchmarkInfo& benchmark : suite) names.push_back(benchmark.name);
  const MeasureConfig& wanted = desk.config.measure;
  for (const std::string& name : wanted.benchmarks) {
    if (std::find(names.begin(), names.end(), name) != names.end()) continue;
    return fail(ErrorKind::usage, "the suite has no benchmark '{}'{}: see `tbci suite list`", one_line(name, 60),
                did_you_mean(name, names));
  }
  std::vector<model::Case> cases;
  for (const runner::BenchmarkInfo& benchmark : suite) {
    const bool chosen = wanted.benchmarks.empty() || std::find(wanted.benchmarks.begin(), wanted.benchmarks.end(),
                                                               benchmark.name) != wanted.benchmarks.end();
    for (const model::Configuration configuration : benchmark.configurations) {
      const auto& configurations = wanted.configurations;
      if (chosen && std::find(configurations.begin(), configurations.end(), configuration) != configurations.end()) {
        cases.push_back({benchmark.name, configuration});
      }
    }
  }
  if (cases.empty())
    return fail(ErrorKind::usage, "nothing to measure: no benchmark of the suite has a wanted configuration");
  return cases;
}

}  // namespace tbci::daemon
