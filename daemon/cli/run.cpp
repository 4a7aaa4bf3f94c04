#include <CLI/CLI.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/application.hpp"
#include "daemon/cli/evidence_table.hpp"
#include "daemon/cli/gpu_split.hpp"
#include "daemon/cli/json.hpp"
#include "daemon/cli/memory_text.hpp"
#include "daemon/cli/selection.hpp"
#include "daemon/cli/subject_session.hpp"
#include "daemon/cli/table.hpp"
#include "pipeline/measure/building.hpp"
#include "pipeline/measure/interleaved_rounds.hpp"
#include "pipeline/measure/measuring.hpp"

namespace tbci::daemon {

namespace {

struct RunOptions {
  Selection selection;
  std::string build;
  bool again = false;
};

using pipeline::CaseMeasurements;

std::optional<double> typical(const std::vector<model::Measurement>& measurements, model::Metric metric) {
  std::vector<double> values = pipeline::values_of(measurements, metric);
  return values.empty() ? std::nullopt : std::optional(model::median(std::move(values)));
}

std::optional<detect::MedianInterval> interval_of(const std::vector<model::Measurement>& measurements,
                                                  const detect::Sampling& sampling) {
  return detect::median_interval(pipeline::values_of(measurements, model::Metric::time), sampling.confidence);
}

std::string half_width(const std::optional<detect::MedianInterval>& interval) {
  return interval ? fmt::format("+-{:.1f}%", 100 * interval->relative_half_width()) : "-";
}

std::string trouble_of(const std::vector<model::Measurement>& measurements) {
  for (const model::Measurement& measurement : measurements) {
    if (measurement.outcome != model::Outcome::done)
      return fmt::format("{}: {}", to_string(measurement.outcome), measurement.message);
  }
  return {};
}

std::string as_table(const CaseMeasurements& results, const detect::Sampling& sampling) {
  Table table({{"case"},
               {"processes", Align::right},
               {"time", Align::right},
               {"interval", Align::right},
               {"instructions", Align::right},
               {"peak memory", Align::right},
               {"growth", Align::right},
               {"trouble"}});
  for (const auto& [measured, measurements] : results) {
    const auto cell = [&](model::Metric metric) {
      const auto value = typical(measurements, metric);
      return value ? readable(metric, *value) : std::string("-");
    };
    const bool gpu = is_on_gpu(measured.configuration);
    table.add({to_string(measured), std::to_string(measurements.size()), cell(model::Metric::time),
               half_width(interval_of(measurements, sampling)), cell(model::Metric::instructions),
               cell(gpu ? model::Metric::gpu_memory : model::Metric::cpu_memory),
               growth_text(measurements, gpu ? model::Metric::gpu_leak : model::Metric::cpu_leak),
               one_line(trouble_of(measurements), 90)});
  }
  return table.text();
}

// How long the measuring took: in all, and outside the iterations.
struct Cost {
  std::size_t processes = 0;  // that ended normally
  std::chrono::nanoseconds whole{}, iterations{}, beyond_median{};
};

Cost cost_of(const CaseMeasurements& results) {
  Cost cost;
  std::vector<double> beyond;
  for (const auto& [measured, measurements] : results) {
    for (const model::Measurement& measurement : measurements) {
      cost.whole += measurement.wall;
      const auto rest = model::beyond_iterations(measurement);
      if (!rest) continue;
      cost.iterations += measurement.wall - *rest;
      beyond.push_back(static_cast<double>(rest->count()));
    }
  }
  cost.processes = beyond.size();
  if (!beyond.empty()) cost.beyond_median = std::chrono::nanoseconds(std::llround(model::median(std::move(beyond))));
  return cost;
}

std::string cost_text(const Cost& cost) {
  if (cost.processes == 0) return {};
  return fmt::format(
      "\n{} processes took {}, {} of it in iterations; outside its iterations a process takes {} (median) to start, "
      "load, make the model and write its results\n",
      cost.processes, human_duration(cost.whole), human_duration(cost.iterations), human_duration(cost.beyond_median));
}

nlohmann::json as_json(const model::Build& build, const CaseMeasurements& results, const Cost& cost,
                       const detect::Sampling& sampling) {
  nlohmann::json json = {{"build", build.name},
                         {"version", build.product.version},
                         {"commit", build.product.commit},
                         {"processes", cost.processes},
                         {"wall_nanoseconds", cost.whole.count()},
                         {"iterations_nanoseconds", cost.iterations.count()},
                         {"beyond_iterations_median_nanoseconds", cost.beyond_median.count()},
                         {"cases", nlohmann::json::array()}};
  for (const auto& [measured, measurements] : results) {
    nlohmann::json entry = {{"benchmark", measured.benchmark}, {"configuration", to_string(measured.configuration)}};
    for (const model::Metric metric : model::all_metrics) {
      if (const auto value = typical(measurements, metric)) entry[std::string(to_string(metric))] = *value;
    }
    if (const auto interval = interval_of(measurements, sampling)) {
      entry["time_interval"] = {{"low", interval->low},
                                {"high", interval->high},
                                {"confidence", sampling.confidence},
                                {"relative_half_width", interval->relative_half_width()}};
    }
    entry["processes"] = nlohmann::json::array();
    for (const model::Measurement& measurement : measurements) {
      entry["processes"].push_back({{"outcome", to_string(measurement.outcome)},
                                    {"message", one_line(measurement.message, 500)},
                                    {"nanoseconds", measurement.nanoseconds},
                                    {"instructions", measurement.instructions},
                                    {"memory", memory_json(measurement)}});
      if (measurement.gpu_split) entry["processes"].back()["gpu_split"] = gpu_split_json(*measurement.gpu_split);
      if (!measurement.evidence.empty()) entry["processes"].back()["evidence"] = evidence_json(measurement.evidence);
      if (measurement.gpu_load) entry["processes"].back()["gpu_load"] = gpu_load_json(*measurement.gpu_load);
    }
    json["cases"].push_back(std::move(entry));
  }
  return json;
}

Result<ExitCode> run(const Invocation& invocation, const RunOptions& options, std::stop_token stop) {
  TBCI_ASSIGN(const auto session, open_session(invocation, options.selection, std::move(stop)));
  pipeline::SubjectContext& context = session->context();
  // A commit may have failed to build because of a recipe that has been corrected since.
  if (options.again) TBCI_TRY(pipeline::forget_failed_commits(context));
  TBCI_ASSIGN(const model::Build build, pipeline::build_named(context, options.build));
  TBCI_ASSIGN(const auto cases, pipeline::wanted_cases(context, build.product));
  TBCI_ASSIGN(const CaseMeasurements results, pipeline::measure_by_hand(context, build, cases));
  const Cost cost = cost_of(results);
  const detect::Sampling& sampling = context.config.measure.sampling;
  if (invocation.json) print_json(as_json(build, results, cost, sampling));
  if (!invocation.json)
    fmt::print("{}{}{}{}", as_table(results, sampling), gpu_split_text(results), evidence_of_run(results),
               cost_text(cost));
  for (const auto& [measured, measurements] : results) {
    for (const model::Measurement& measurement : measurements) {
      if (measurement.outcome != model::Outcome::done && measurement.outcome != model::Outcome::unsupported)
        return ExitCode::negative;
    }
  }
  return ExitCode::success;
}

}  // namespace

void add_run(CLI::App& app, Invocation& invocation) {
  auto* command = app.add_subcommand("run", "Measure the suite on one build, and keep every sample");
  command->footer(
      "A build is a nightly's name or a revision of the subject's repository; it is installed or built if\n"
      "necessary. If a model fails, the others are still measured.\n\n"
      "  tbci run --build 2026-01-07\n"
      "  tbci run --build 4f2a91c --benchmarks dlrm resnet18 --configurations cpu-infer --json\n\n"
      "Exit code 1 if a measurement failed (an unsupported configuration is not a failure).");
  auto options = std::make_shared<RunOptions>();
  add_subject_option(*command, options->selection);
  command->add_option("--build", options->build, "Nightly or revision")->required()->type_name("NAME");
  add_case_options(*command, options->selection);
  command->add_flag("--again", options->again, "Try commits again that did not build, as after a corrected recipe");
  command->callback([&invocation, options] {
    invocation.action = [&invocation, options](std::stop_token stop) {
      return run(invocation, *options, std::move(stop));
    };
  });
}

}  // namespace tbci::daemon
