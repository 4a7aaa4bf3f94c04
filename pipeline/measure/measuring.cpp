#include "pipeline/measure/measuring.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.hpp"
#include "pipeline/measure/benchmark_list.hpp"
#include "pipeline/measure/peak_measuring.hpp"
#include "pipeline/measure/suite_case.hpp"
#include "runner/environment/readable_diff.hpp"
#include "runner/source/machine_trouble.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

MeasureOptions options_of(const Process& process) {
  // One process says where a GPU's time goes as well as all of them.
  return {.gpu_split = process.ordinal == 0, .leaks = process.leaks == Leaks::watch};
}

Result<model::Measurement> measure_now(SubjectContext& context, const model::Build& build, const Process& process) {
  if (is_suite(process.measured)) return try_to_list(context, build, process.measured);
  return context.machine.measure(build.product, process.measured, options_of(process), context.stop);
}

Result<std::optional<model::Measurement>> stored(SubjectContext& context, const model::Place& place,
                                                 const model::Case& measured) {
  TBCI_ASSIGN(const auto all, context.stores.runs.measurements(place.run_id, place.build_id, measured));
  for (const model::PlacedMeasurement& one : all) {
    if (one.place.ordinal == place.ordinal) return std::optional(one.measurement);
  }
  return std::optional<model::Measurement>();
}

// Measures and stores a pair of which nothing is stored yet. Of half a pair the other half is measured alone.
Status measure_alternately(SubjectContext& context, const model::Run& run, const Comparison& builds,
                           const Process& process) {
  const model::Place first{.run_id = run.id, .build_id = builds.before.id, .ordinal = process.ordinal};
  const model::Place second{.run_id = run.id, .build_id = builds.after.id, .ordinal = process.ordinal};
  for (const model::Place& place : {first, second}) {
    TBCI_ASSIGN(const auto known, stored(context, place, process.measured));
    if (known) return {};
  }
  TBCI_ASSIGN(const auto pair, context.machine.measure_pair(builds.before.product, builds.after.product,
                                                            process.measured, options_of(process), context.stop));
  return context.stores.runs.add_pair(first, second, pair);
}

}  // namespace

Leaks leaks_of_next(std::span<const model::Measurement> measured) {
  return leaks_of_next(measured, measured);
}

Leaks leaks_of_next(std::span<const model::Measurement> before, std::span<const model::Measurement> after) {
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i].outcome == model::Outcome::done && after[i].outcome == model::Outcome::done) return Leaks::skip;
  }
  return Leaks::watch;
}

Leaks leaks_of(const std::vector<model::Series>& series, const model::Case& measured) {
  const bool any = std::any_of(series.begin(), series.end(), [&](const model::Series& one) {
    return detect::is_leak(one.metric) && one.measured_case() == measured;
  });
  return any ? Leaks::watch : Leaks::skip;
}

Result<model::Measurement> measure_once(SubjectContext& context, const model::Run& run, const model::Build& build,
                                        const Process& process) {
  const model::Place place{.run_id = run.id, .build_id = build.id, .ordinal = process.ordinal};
  TBCI_ASSIGN(auto known, stored(context, place, process.measured));
  if (known) return *std::move(known);
  TBCI_ASSIGN(model::Measurement fresh, measure_now(context, build, process));
  TBCI_TRY(context.stores.runs.add(place, fresh));
  return fresh;
}

std::string machine_trouble_of(const model::Measurement& measurement) {
  using model::Outcome;
  // A limit of this process that was reached is its own doing.
  const bool own = measurement.outcome == Outcome::done || measurement.outcome == Outcome::unsupported ||
                   measurement.outcome == Outcome::out_of_memory || measurement.outcome == Outcome::timed_out;
  if (own) return {};
  return runner::machine_trouble_of_worker(measurement.message + "\n" + measurement.details);
}

std::optional<detect::Pair> pair_of(const model::Measurement& before, const model::Measurement& after,
                                    model::Metric metric) {
  const auto old_value = model::value_of(before, metric);
  const auto new_value = model::value_of(after, metric);
  if (!old_value || !new_value) return std::nullopt;
  if (metric == model::Metric::time && before.alternating && after.alternating) {
    if (const auto effect = detect::effect_in_turn(before.nanoseconds, after.nanoseconds))
      return detect::Pair{.before = *old_value, .after = *old_value * std::exp(*effect)};
  }
  return detect::Pair{.before = *old_value,
                      .after = *new_value,
                      .before_interval = model::interval_of(before, metric),
                      .after_interval = model::interval_of(after, metric)};
}

bool alternates(const SubjectContext& context, model::Purpose purpose, const model::Case& measured) {
  using settings::Alternate;
  const Alternate wanted = context.config.measure.alternate;
  const bool is_wanted = wanted == Alternate::all || (wanted == Alternate::judged && purpose != model::Purpose::screen);
  return is_wanted && !is_suite(measured) && context.machine.alternates(measured);
}

bool is_fault_of_builds(const Error& error) {
  return error.kind == ErrorKind::failed || error.kind == ErrorKind::usage;
}

Result<MeasuredPair> measure_pair(SubjectContext& context, const model::Run& run, const Comparison& builds,
                                  const Process& process, Pairing pairing) {
  const bool by_iteration = pairing == Pairing::as_configured && builds.before.id != builds.after.id &&
                            alternates(context, run.purpose, process.measured);
  if (by_iteration) TBCI_TRY(measure_alternately(context, run, builds, process));
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
    // Variables change what LibTorch says of itself, as of the CPU: such a runner speaks where no other one did.
    const bool speaks = build.libraries.empty() || context.config.runner.variables.empty();
    if (speaks && loaded->build != build.libraries) TBCI_TRY(context.stores.builds.loaded(build.id, loaded->build));
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
        fmt::format("the machine changed since {} began ({}): tbci measures it again", key, one_line(what, 600)));
    plan.key = model::run_keys::on_environment(key, fingerprint);
  }
  TBCI_ASSIGN(model::Run run, context.stores.runs.begin(plan, environment, context.clock.now()));
  // Not beside a search, which makes many builds and needs none of them.
  if (purpose == model::Purpose::screen || purpose == model::Purpose::manual)
    TBCI_TRY(keep_peaks(context, run, builds));
  return run;
}

namespace {

// A suite changes over the years, so a file that was made before does not stop a measurement.
void note_unknown_batches(const SubjectContext& context, const std::vector<std::string>& names) {
  for (const auto& [measured, batch] : context.config.measure.worker.batches) {
    if (std::find(names.begin(), names.end(), measured.benchmark) != names.end()) continue;
    context.progress.note(fmt::format("{} names the benchmark '{}', which the suite does not have{}",
                                      context.config.measure.batch_sizes.string(), one_line(measured.benchmark, 60),
                                      did_you_mean(measured.benchmark, names)));
  }
}

// A backend that no suite has makes no case: that must not look like a backend in which nothing changed.
void note_missing_backends(const SubjectContext& context, const runner::Listing& suite) {
  for (const model::Backend backend : context.config.measure.backends) {
    const bool known = std::ranges::any_of(suite.benchmarks, [&](const runner::BenchmarkInfo& benchmark) {
      return std::ranges::find(benchmark.backends, backend) != benchmark.backends.end();
    });
    if (known) continue;
    const bool unpackaged = backend == model::Backend::aoti && !suite.no_packages.empty();
    context.progress.note(fmt::format("no suite has the backend {} on this build{}", to_string(backend),
                                      unpackaged ? ": " + suite.no_packages : ""));
  }
}

// Of the benchmarks of the listing: those of the names (all where there are none) in the wanted configurations.
Result<std::vector<model::Case>> cases_of(SubjectContext& context, const runner::Listing& suite,
                                          const std::vector<std::string>& wanted_names) {
  std::vector<std::string> names;
  for (const runner::BenchmarkInfo& benchmark : suite.benchmarks) names.push_back(benchmark.name);
  note_unknown_batches(context, names);
  note_missing_backends(context, suite);
  TBCI_TRY(check_names(suite, wanted_names));
  const auto& configurations = context.config.measure.configurations;
  std::vector<model::Case> cases;
  for (const runner::BenchmarkInfo& benchmark : suite.benchmarks) {
    const bool chosen = wanted_names.empty() ||
                        std::find(wanted_names.begin(), wanted_names.end(), benchmark.name) != wanted_names.end();
    for (const model::Configuration configuration : benchmark.configurations) {
      if (!chosen || std::find(configurations.begin(), configurations.end(), configuration) == configurations.end())
        continue;
      for (const model::Backend backend : context.config.measure.backends) {
        const bool knows = std::ranges::find(benchmark.backends, backend) != benchmark.backends.end();
        if (knows && fits(backend, configuration)) cases.push_back({benchmark.name, with(backend, configuration)});
      }
    }
  }
  return cases;
}

// Whether a benchmark may be of a suite that could not be listed.
bool may_be_of(const runner::Listing& listing, const std::string& name) {
  const bool listed = std::any_of(listing.benchmarks.begin(), listing.benchmarks.end(),
                                  [&](const runner::BenchmarkInfo& one) { return one.name == name; });
  return !listed && std::any_of(listing.left_out.begin(), listing.left_out.end(),
                                [&](const runner::UnlistedSuite& one) { return name.starts_with(one.prefix); });
}

constexpr const char* nothing_to_measure =
    "nothing to measure: no benchmark of the suite has a wanted configuration and backend";

}  // namespace

Result<std::vector<model::Case>> wanted_cases(SubjectContext& context, const model::Product& product) {
  TBCI_ASSIGN(const runner::Listing suite, listed_benchmarks(context, product));
  TBCI_ASSIGN(auto cases, cases_of(context, suite, context.config.measure.benchmarks));
  if (cases.empty()) return fail(ErrorKind::usage, "{}", nothing_to_measure);
  return cases;
}

Result<NightCases> cases_of_night(SubjectContext& context, const model::Product& product) {
  NightCases night;
  const auto listing = listed_benchmarks(context, product);
  if (!listing && listing.error().kind != ErrorKind::failed) return pass_on(listing.error());
  if (!listing) {
    context.progress.note("no suite can be listed: " + one_line(listing.error().message, 300));
    night.unlisted.push_back(case_of_suite(""));
    return night;
  }
  for (const runner::UnlistedSuite& suite : listing->left_out) night.unlisted.push_back(case_of_suite(suite.prefix));
  std::vector<std::string> names = context.config.measure.benchmarks;
  std::erase_if(names, [&](const std::string& name) { return may_be_of(*listing, name); });
  const bool all_lost = names.empty() && !context.config.measure.benchmarks.empty();
  if (!all_lost) {
    TBCI_ASSIGN(night.cases, cases_of(context, *listing, names));
  }
  if (night.cases.empty() && night.unlisted.empty()) return fail(ErrorKind::usage, "{}", nothing_to_measure);
  return night;
}

}  // namespace tbci::pipeline
