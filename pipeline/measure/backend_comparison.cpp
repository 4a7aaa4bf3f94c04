#include "pipeline/measure/backend_comparison.hpp"

#include <algorithm>
#include <set>
#include <tuple>

#include "pipeline/measure/benchmark_list.hpp"
#include "storage/model/run_keys.hpp"

namespace tbci::pipeline {

namespace {

/// The processes of a case by one backend, and whether more make sense.
struct Side {
  model::Backend backend{};
  std::string why;  ///< it is not measured (any more)
  std::vector<model::Measurement> processes;
};

struct Row {
  model::Case eager;
  std::string domain;
  std::vector<Side> sides;  ///< eager first
};

std::string why_not(const runner::Listing& listing, const runner::BenchmarkInfo& benchmark, model::Backend backend,
                    const model::Configuration& configuration) {
  if (!fits(backend, configuration)) return fmt::format("not made for {}", to_string(configuration));
  const bool has = std::ranges::find(benchmark.backends, backend) != benchmark.backends.end();
  if (!has && backend == model::Backend::aoti && !listing.no_packages.empty()) return listing.no_packages;
  if (!has) return fmt::format("its suite has no {} on this build", to_string(backend));
  return {};
}

std::vector<Row> rows_of(const runner::Listing& listing, const std::vector<model::Case>& cases,
                         const std::vector<model::Backend>& backends) {
  std::vector<Row> rows;
  for (const model::Case& eager : cases) {
    const auto benchmark = std::ranges::find_if(
        listing.benchmarks, [&](const runner::BenchmarkInfo& one) { return one.name == eager.benchmark; });
    if (benchmark == listing.benchmarks.end()) continue;
    Row row{.eager = eager, .domain = benchmark->domain, .sides = {}};
    row.sides.push_back({.backend = model::Backend::eager, .why = {}, .processes = {}});
    for (const model::Backend backend : backends) {
      if (backend == model::Backend::eager) continue;
      row.sides.push_back(
          {.backend = backend, .why = why_not(listing, *benchmark, backend, eager.configuration), .processes = {}});
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

Status measure_side(SubjectContext& context, const model::Run& run, const model::Build& build, const Row& row,
                    Side& side) {
  const model::Case measured{row.eager.benchmark, with(side.backend, row.eager.configuration)};
  const Process process{measured, static_cast<int>(side.processes.size()), Leaks::skip};
  TBCI_ASSIGN(model::Measurement measurement, measure_once(context, run, build, process));
  if (measurement.outcome != model::Outcome::done) side.why = measurement.message;
  side.processes.push_back(std::move(measurement));
  return {};
}

Status measure_sides(SubjectContext& context, const model::Run& run, const model::Build& build,
                     std::vector<Row>& rows) {
  const int processes = context.config.measure.sampling.least;
  const auto sides = rows.empty() ? 0 : rows.front().sides.size();
  context.progress.begin_stage("measure", fmt::format("{} cases by {} backends", rows.size(), sides),
                               processes * static_cast<int>(rows.size()));
  for (int round = 0; round < processes; ++round) {
    for (Row& row : rows) {
      context.progress.step(fmt::format("{}, process {} of {}", to_string(row.eager), round + 1, processes));
      for (Side& side : row.sides) {
        if (row.sides.front().why.empty() && side.why.empty()) TBCI_TRY(measure_side(context, run, build, row, side));
      }
    }
  }
  context.progress.end_stage("measured");
  return {};
}

std::optional<detect::MeanRatio> ratio_of(const Side& eager, const Side& other, model::Metric metric) {
  std::vector<detect::Pair> pairs;
  for (std::size_t i = 0; i < std::min(eager.processes.size(), other.processes.size()); ++i) {
    const auto before = value_of(eager.processes[i], metric), after = value_of(other.processes[i], metric);
    if (before && after && *before > 0 && *after > 0) pairs.push_back({.before = *before, .after = *after});
  }
  return detect::mean_ratio(pairs);
}

BackendResult result_of(const Side& eager, const Side& side) {
  BackendResult result{
      .backend = side.backend, .time = {}, .cpu_memory = {}, .gpu_memory = {}, .compiling = {}, .why = side.why};
  if (!side.why.empty() || !eager.why.empty()) return result;
  result.time = ratio_of(eager, side, model::Metric::time);
  result.cpu_memory = ratio_of(eager, side, model::Metric::cpu_memory);
  result.gpu_memory = ratio_of(eager, side, model::Metric::gpu_memory);
  if (!side.processes.empty()) result.compiling = side.processes.front().compiling;
  return result;
}

ComparedBackends comparison_of(const Row& row) {
  const Side& eager = row.sides.front();
  ComparedBackends one{.eager = row.eager, .domain = row.domain, .nanoseconds = {}, .why = eager.why, .results = {}};
  std::vector<double> times;
  for (const model::Measurement& process : eager.processes) {
    if (const auto time = value_of(process, model::Metric::time)) times.push_back(*time);
  }
  if (!times.empty()) one.nanoseconds = model::median(std::move(times));
  for (std::size_t i = 1; i < row.sides.size(); ++i) one.results.push_back(result_of(eager, row.sides[i]));
  return one;
}

/// What a mean is taken over, in the order of the answer: the domains first, then all.
using Kind = std::tuple<bool, bool, bool, std::string, std::size_t>;  // gpu, infer, of all, domain, backend's place

struct Gathered {
  model::Backend backend{};
  std::size_t asked = 0;
  std::vector<double> time, cpu_memory, gpu_memory;
};

void gather(const BackendResult& result, Gathered& into) {
  into.backend = result.backend;
  ++into.asked;
  if (result.time) into.time.push_back(result.time->ratio);
  if (result.time && result.cpu_memory) into.cpu_memory.push_back(result.cpu_memory->ratio);
  if (result.time && result.gpu_memory) into.gpu_memory.push_back(result.gpu_memory->ratio);
}

}  // namespace

Result<std::vector<ComparedBackends>> compare_backends(SubjectContext& context, const model::Build& build,
                                                       const std::vector<model::Backend>& backends) {
  if (context.config.measure.sampling.least < 2)
    return fail(ErrorKind::usage, "backends need at least 2 processes each, as one has no interval: see --processes");
  TBCI_ASSIGN(const auto cases, wanted_cases(context, build.product));
  TBCI_ASSIGN(const auto listing, listed_benchmarks(context, build.product));
  std::vector<Row> rows = rows_of(listing, cases, backends);
  const std::string key = model::run_keys::backends(context.clock.now());
  TBCI_ASSIGN(const model::Run run, begin_run(context, key, model::Purpose::manual, {&build, 1}));
  TBCI_TRY(measure_sides(context, run, build, rows));
  TBCI_TRY(context.stores.runs.finish(run.id, context.clock.now()));
  std::vector<ComparedBackends> all;
  std::ranges::transform(rows, std::back_inserter(all), comparison_of);
  return all;
}

std::vector<BackendMean> means_of(const std::vector<ComparedBackends>& compared) {
  std::map<Kind, Gathered> gathered;
  for (const ComparedBackends& one : compared) {
    const model::Configuration& configuration = one.eager.configuration;
    for (std::size_t i = 0; i < one.results.size(); ++i) {
      if (!fits(one.results[i].backend, configuration)) continue;
      gather(one.results[i], gathered[{configuration.gpu, configuration.infer, false, one.domain, i}]);
      gather(one.results[i], gathered[{configuration.gpu, configuration.infer, true, "", i}]);
    }
  }
  std::vector<BackendMean> means;
  for (const auto& [kind, numbers] : gathered) {
    BackendMean mean;
    std::tie(mean.gpu, mean.infer, std::ignore, mean.domain, std::ignore) = kind;
    mean.backend = numbers.backend;
    mean.asked = numbers.asked;
    mean.cases = numbers.time.size();
    if (!numbers.time.empty()) mean.time = detect::geometric_mean(numbers.time);
    if (!numbers.cpu_memory.empty()) mean.cpu_memory = detect::geometric_mean(numbers.cpu_memory);
    if (!numbers.gpu_memory.empty()) mean.gpu_memory = detect::geometric_mean(numbers.gpu_memory);
    means.push_back(std::move(mean));
  }
  return means;
}

}  // namespace tbci::pipeline
