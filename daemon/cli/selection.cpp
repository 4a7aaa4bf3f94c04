#include "daemon/cli/selection.hpp"

#include <algorithm>

#include <CLI/CLI.hpp>

#include "base/text.hpp"
#include "daemon/cli/option_values.hpp"

namespace tbci::daemon {

void add_subject_option(CLI::App& command, Selection& selection) {
  command.add_option("--subject", selection.subject, "Which subject of the configuration file (default: the only one)")
      ->type_name("NAME");
}

void add_benchmark_options(CLI::App& command, Selection& selection) {
  command.add_option("--benchmarks", selection.benchmarks, "Measure only these benchmarks (default: the whole suite)")
      ->type_name("NAME")
      ->delimiter(',');
  command
      .add_option("--configurations", selection.configurations,
                  "Measure only these: cpu-train, cpu-infer, gpu-train, gpu-infer")
      ->type_name("NAME")
      ->delimiter(',');
  command
      .add_option(
          "--backend", selection.backends,
          "What runs the models: eager, jit, jit-frozen, onednn-graph, channels-last, aoti or inductor; several "
          "with commas (default: as configured)")
      ->type_name("NAME")
      ->delimiter(',');
  command
      .add_option("--precision", selection.precision, "fp32, pytorch, tf32, fp16, bf16 or amp (default: as configured)")
      ->type_name("NAME");
}

void add_case_options(CLI::App& command, Selection& selection) {
  add_benchmark_options(command, selection);
  command
      .add_option("--processes", selection.processes,
                  "Run exactly N processes for each case and build, however much they differ")
      ->type_name("N")
      ->check(whole_number(1, 1000));
}

void add_threshold_option(CLI::App& command, Selection& selection) {
  command
      .add_option("--threshold", selection.threshold,
                  "Smallest change that counts as a regression, as a fraction (0.07 = 7%)")
      ->type_name("N")
      ->check(real_number(0.001, 10.0));
}

void add_change_point_options(CLI::App& command, detect::ChangePointOptions& options) {
  command.add_option("--min-segment", options.min_segment, "Fewest nights between two change points")
      ->type_name("N")
      ->check(whole_number(1, 1000));
  command.add_option("--alpha", options.alpha, "Probability of finding a change point where there is none")
      ->type_name("N")
      ->check(real_number(1e-12, 0.5));
  command.add_option("--least-change", options.least_change, "Hide change points below this fraction (0.02 = 2%)")
      ->type_name("N")
      ->check(real_number(0.0, 10.0));
}

Status apply(const Selection& selection, settings::Config& config) {
  if (!selection.benchmarks.empty()) config.measure.benchmarks = selection.benchmarks;
  if (!selection.configurations.empty()) config.measure.configurations.clear();
  for (const std::string& text : selection.configurations) {
    TBCI_ASSIGN(const model::Configuration configuration, model::eager_configuration_from(text));
    config.measure.configurations.push_back(configuration);
  }
  if (!selection.backends.empty()) config.measure.backends.clear();
  for (const std::string& text : selection.backends) {
    TBCI_ASSIGN(const model::Backend backend, model::backend_from(text));
    if (std::ranges::find(config.measure.backends, backend) == config.measure.backends.end())
      config.measure.backends.push_back(backend);
  }
  if (!selection.precision.empty()) {
    TBCI_ASSIGN(config.measure.worker.precision, runner::precision_from(selection.precision));
  }
  if (selection.processes > 0) config.measure.sampling.least = config.measure.sampling.most = selection.processes;
  if (selection.threshold > 0) {
    // For all series: also for those that the configuration gives a threshold of their own.
    detect::ThresholdChange change;
    change.relative = selection.threshold;
    config.thresholds.base = detect::changed(config.thresholds.base, change);
    config.thresholds.overrides.push_back({{}, change});
  }
  return {};
}

}  // namespace tbci::daemon
