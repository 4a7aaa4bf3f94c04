// suite-truth: a worker whose benchmarks cost what their names say, measured by the worker's own code.
//   suite-truth run --benchmark keep:1024 --configuration cpu-infer --leak-iterations 100
//   suite-truth timeline --benchmark hint:zero-50 --configuration cpu-infer
// On the host, in each configuration: nothing, churn, touch:BYTES, tensor:BYTES, keep:BYTES, keep-pages:BYTES,
// operator:NAME (operators.hpp), parts:C-M-S-F and hint:KIND-P (planted.hpp). On the GPU, in its configurations alone:
// those of gpu_known.hpp.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "suite/device.hpp"
#include "suite/measure.hpp"
#include "suite/options.hpp"
#include "suite/protocol.hpp"
#include "suite/run.hpp"
#include "suite/timeline/timeline.hpp"
#include "tests/suite/truth/gpu_known.hpp"
#include "tests/suite/truth/known.hpp"
#include "tests/suite/truth/operators.hpp"
#include "tests/suite/truth/planted.hpp"

namespace {

using namespace tbci::suite;

std::unique_ptr<Workload> workload_named(const std::string& name, DeviceKind device) {
  const std::size_t colon = name.find(':');
  const std::string kind = name.substr(0, colon);
  const std::string what = colon == std::string::npos ? "" : name.substr(colon + 1);
  const std::size_t amount = std::strtoull(what.c_str(), nullptr, 10);
  if (truth::is_gpu_kind(kind)) {
    if (device != DeviceKind::gpu) throw Unsupported("'" + kind + "' needs a configuration of the GPU");
    return truth::gpu_workload(kind, static_cast<std::int64_t>(amount));
  }
  if (kind == "nothing") return std::make_unique<truth::Nothing>();
  if (kind == "churn") return std::make_unique<truth::Churn>();
  if (kind == "touch") return std::make_unique<truth::TouchPages>(amount);
  if (kind == "tensor") return std::make_unique<truth::TouchTensor>(amount);
  if (kind == "keep") return std::make_unique<truth::Keep>(amount);
  if (kind == "keep-pages") return std::make_unique<truth::KeepPages>(amount);
  if (kind == "operator") {
    if (auto calls = truth::operator_calls(what)) return calls;
  }
  if (auto planted = truth::planted_workload(kind, what)) return planted;
  throw Unsupported("there is no benchmark '" + name + "'");
}

void measure_known(const RunOptions& options, Protocol& protocol) {
  const IterationPlan plan{options.configuration.device, options.warmup, options.iterations, options.warmup_time};
  const bool gpu = plan.device == DeviceKind::gpu;
  torch::set_num_threads(options.threads);
  torch::manual_seed(options.seed);
  // LibTorch makes its allocator for a GPU with the first tensor, which `nothing` never makes.
  if (gpu) torch::empty({1}, torch_device(plan.device));
  const auto workload = workload_named(options.benchmark, plan.device);
  warm_up(*workload, plan);
  const InstructionCounter counter;
  Alternation alone;
  MemoryUse use = measure(*workload, plan, counter, alone, protocol).use;
  if (options.growth.iterations > 0) use.growth = watch_growth(*workload, plan.device, options.growth);
  protocol.memory(use);
  RunTimes times{options.iterations, 0, 0, use.growth ? use.growth->wall.count() : 0};
  if (gpu && options.gpu_traced > 0) times.gpu = gpu_split([&] { workload->iterate(); }, options.gpu_traced);
  protocol.done(times, 0);
}

void record_known(const RunOptions& options, Protocol& protocol) {
  const IterationPlan plan{options.configuration.device, options.warmup, options.iterations, options.warmup_time};
  torch::set_num_threads(options.threads);
  torch::manual_seed(options.seed);
  const torch::NoGradGuard no_gradients;
  const auto workload = workload_named(options.benchmark, plan.device);
  warm_up(*workload, plan);
  Timeline timeline = record_timeline(*workload, plan);
  measure_speed(plan.device, timeline.speed);
  protocol.timeline(timeline);
  protocol.done();
}

int fail(Protocol& protocol, const char* kind, const std::string& message) {
  protocol.error(kind, message.substr(0, message.find('\n')));
  return exit_error;
}

using Job = void (*)(const RunOptions& options, Protocol& protocol);

int run(const RunOptions& options, Protocol& protocol, Job job) {
  const GpuAbsence absence = why_unavailable(options.configuration.device);  // before all that asks LibTorch for CUDA
  protocol.hello(options, 1);
  if (!absence.why.empty()) return fail(protocol, absence.broken ? "exception" : "unsupported", absence.why);
  try {
    job(options, protocol);
    return exit_done;
  } catch (const Unsupported& error) {
    return fail(protocol, "unsupported", error.what());
  } catch (const std::exception& error) {
    return fail(protocol, "exception", error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = parse_options({argv + 1, argv + argc});
  if (const auto* to_run = std::get_if<RunOptions>(&options)) {
    Protocol protocol(claim_standard_output());
    return run(*to_run, protocol, measure_known);
  }
  if (const auto* to_record = std::get_if<TimelineOptions>(&options)) {
    Protocol protocol(claim_standard_output());
    return run(to_record->run, protocol, record_known);
  }
  const auto* wrong = std::get_if<UsageError>(&options);
  std::fprintf(stderr, "suite-truth: %s\n", wrong != nullptr ? wrong->message.c_str() : "it only runs and records");
  return exit_usage;
}
