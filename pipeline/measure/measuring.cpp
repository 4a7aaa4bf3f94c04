#include "pipeline/measure/measuring.hpp"

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "runner/environment.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

Result<model::Measurement> measure_now(SubjectContext& context, const model::Build& build, const Process& process) {
  const MeasureOptions options{.leaks = process.leaks == Leaks::watch};
  return context.machine.measure(build.product, process.measured, options, context.stop);
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

Result<model::Measurement> measure_once(SubjectContext& context, const model::Run& run, const model::Build& build,
                                        const Process& process) {
  TBCI_ASSIGN(const auto stored, context.stores.runs.measurements(run.id, build.id, process.measured));
  for (const model::PlacedMeasurement& placed : stored) {
    if (placed.place.ordinal == process.ordinal) return placed.measurement;
  }
  TBCI_ASSIGN(model::Measurement fresh, measure_now(context, build, process));
  TBCI_TRY(context.stores.runs.add({.run_id = run.id, .build_id = build.id, .ordinal = process.ordinal}, fresh));
  return fresh;
}

std::optional<detect::Pair> pair_of(const model::Measurement& before, const model::Measurement& after,
                                    model::Metric metric) {
  const auto old_value = model::value_of(before, metric);
  const auto new_value = model::value_of(after, metric);
  if (!old_value || !new_value) return std::nullopt;
  return detect::Pair{*old_value, *new_value, model::interval_of(before, metric), model::interval_of(after, metric)};
}

Result<MeasuredPair> measure_pair(SubjectContext& context, const model::Run& run, const Comparison& builds,
                                  const Process& process) {
  TBCI_ASSIGN(model::Measurement before, measure_once(context, run, builds.before, process));
  TBCI_ASSIGN(model::Measurement after, measure_once(context, run, builds.after, process));
  return MeasuredPair{std::move(before), std::move(after)};
}

namespace {

// The same fact of two builds: the libraries that either of them loads from the machine.
std::string union_of(const std::string& one, const std::string& other) {
  std::set<std::string> libraries;
  for (const std::string& list : {one, other}) {
    for (const std::string& part : split(list, ',')) {
      if (!trim(part).empty()) libraries.emplace(trim(part));
    }
  }
  return join(std::vector<std::string>(libraries.begin(), libraries.end()), ", ");
}

}  // namespace

Result<model::Environment> environment_of(SubjectContext& context, std::span<const model::Build> builds) {
  TBCI_ASSIGN(model::Environment environment, context.machine.environment(context.stop));
  for (const model::Build& build : builds) {
    const auto loaded = context.machine.libraries(build.product, context.stop);
    if (!loaded && loaded.error().kind == ErrorKind::interrupted) return pass_on(loaded.error());
    if (!loaded) {
      // Another suite's worker may not know the candidate. Its numbers are as good as before, and the fact is constant.
      environment.facts["libraries"] = "unknown: the worker does not tell";
      context.progress.note(
          fmt::format("the libraries of {} are not known: {}", build.name, one_line(loaded.error().message)));
      continue;
    }
    for (const auto& [name, value] : loaded->machine) {
      std::string& fact = environment.facts[name];
      fact = fact.empty() || !name.starts_with("library.") ? value : union_of(fact, value);
    }
    if (loaded->build != build.libraries) TBCI_TRY(context.stores.builds.loaded(build.id, loaded->build));
  }
  return environment;
}

std::vector<double> values_of(const std::vector<model::Measurement>& measurements, model::Metric metric) {
  std::vector<double> values;
  for (const model::Measurement& measurement : measurements) {
    if (const auto value = model::value_of(measurement, metric)) values.push_back(*value);
  }
  return values;
}

std::string range_of(const detect::Sampling& sampling) {
  return sampling.most > sampling.least ? fmt::format("{} to {}", sampling.least, sampling.most)
                                        : std::to_string(sampling.least);
}

bool wants_more(const SubjectContext& context, const std::vector<model::Measurement>& measurements) {
  const auto times = values_of(measurements, model::Metric::time);
  return detect::wants_more({times, static_cast<int>(measurements.size())}, context.config.measure.sampling);
}

Result<model::Run> begin_run(SubjectContext& context, const std::string& key, model::Purpose purpose,
                             std::span<const model::Build> builds) {
  TBCI_ASSIGN(const model::Environment environment, environment_of(context, builds));
  storage::RunPlan plan{
      .subject = context.name(), .key = key, .purpose = purpose, .runner = context.config.runner.name};
  TBCI_ASSIGN(const auto earlier, context.stores.runs.find(context.name(), key));
  const std::string fingerprint = environment.fingerprint();
  if (earlier && earlier->environment != fingerprint) {
    // Numbers of two environments are never mixed in one run: the run restarts, the old one stays on record.
    TBCI_ASSIGN(const auto old_environment, context.stores.runs.environment(earlier->environment));
    const std::string what = old_environment ? runner::readable_diff(*old_environment, environment) : "unknown";
    context.progress.note(
        fmt::format("the machine changed since {} began ({}): it is measured again", key, one_line(what, 600)));
    plan.key = model::run_keys::on_environment(key, fingerprint);
  }
  return context.stores.runs.begin(plan, environment, context.clock.now());
}

namespace {

// A suite changes over the years, so a file that was made before is no reason to measure nothing.
void note_unknown_batches(const SubjectContext& context, const std::vector<std::string>& names) {
  for (const auto& [measured, batch] : context.config.measure.worker.batches) {
    if (std::find(names.begin(), names.end(), measured.benchmark) != names.end()) continue;
    context.progress.note(fmt::format("{} names the benchmark '{}', which the suite does not have{}",
                                      context.config.measure.batch_sizes.string(), one_line(measured.benchmark, 60),
                                      did_you_mean(measured.benchmark, names)));
  }
}

}  // namespace

Result<std::vector<model::Case>> wanted_cases(SubjectContext& context, const model::Product& product) {
  TBCI_ASSIGN(const runner::Listing suite, listed_benchmarks(context, product));
  std::vector<std::string> names;
  for (const runner::BenchmarkInfo& benchmark : suite.benchmarks) names.push_back(benchmark.name);
  note_unknown_batches(context, names);
  const settings::MeasureConfig& wanted = context.config.measure;
  TBCI_TRY(check_names(suite, wanted.benchmarks));
  std::vector<model::Case> cases;
  for (const runner::BenchmarkInfo& benchmark : suite.benchmarks) {
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

}  // namespace tbci::pipeline
