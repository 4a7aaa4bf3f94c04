#include "suite/why_not.hpp"

#include "suite/precision.hpp"
#include "suite/registry.hpp"

namespace tbci::suite {
namespace {

// Of the number of processes, and of what a benchmark of several processes cannot do.
std::string why_no_ranks(const RunOptions& options, const Benchmark& benchmark) {
  if (benchmark.ranks == 0)
    return options.ranks ? benchmark.name + " runs in one process: leave out --ranks" : std::string();
  if (options.precision != Precision::fp32)
    return benchmark.name + " runs in several processes, and those compute in fp32 alone";
  if (options.backend != Backend::eager)
    return benchmark.name + " runs in several processes, and those run eager code alone";
  return {};
}

std::string why_eager_alone(const RunOptions& options, const Benchmark& benchmark) {
  if (!benchmark.only_eager || options.backend == Backend::eager) return {};
  return benchmark.name + " has another batch in each iteration, which a trace of one does not have: eager alone";
}

}  // namespace

std::string why_not(const Choice& choice, const RunOptions& options, const std::string& unavailable) {
  const Benchmark* benchmark = choice.benchmark.get();
  if (benchmark == nullptr) return choice.why_none;
  if (!benchmark->modes.has(options.configuration.mode)) {
    const bool train = options.configuration.mode == Mode::train;
    return benchmark->name + std::string(" has no ") + (train ? "training" : "inference") + ": its original has only " +
           (train ? "inference" : "training");
  }
  if (!unavailable.empty()) return unavailable;
  const std::string not_chosen = why_not_chosen(options.chosen, benchmark->choices, benchmark->name);
  if (!not_chosen.empty()) return not_chosen;
  const std::string no_ranks = why_no_ranks(options, *benchmark);
  if (!no_ranks.empty()) return no_ranks;
  const std::string eager_alone = why_eager_alone(options, *benchmark);
  if (!eager_alone.empty()) return eager_alone;
  const std::string no_variant = why_no_variant(options.variant, benchmark->name, options.configuration);
  if (!no_variant.empty()) return no_variant;
  const std::string no_precision = why_no_precision(options.precision, options.configuration.device);
  return no_precision.empty() ? why_no_backend(options.backend, options.configuration) : no_precision;
}

std::string why_not_learned(const Choice& choice, const RunOptions& options) {
  const Benchmark* benchmark = choice.benchmark.get();
  if (benchmark == nullptr) return choice.why_none;
  if (!benchmark->learns) return benchmark->name + " has no click model that learns";
  const Configuration& configuration = options.configuration;
  if (configuration.mode != Mode::train || configuration.device != DeviceKind::cpu)
    return "click models learn on a CPU: choose cpu-train";
  if (options.precision != Precision::fp32 || options.backend != Backend::eager)
    return "click models learn in fp32, by eager code: leave out --precision and --backend";
  return {};
}

}  // namespace tbci::suite
