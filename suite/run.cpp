#include "suite/run.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <functional>
#include <iterator>
#include <new>

#include "suite/choice.hpp"
#include "suite/device.hpp"
#include "suite/environment.hpp"
#include "suite/exported/suite.hpp"
#include "suite/growth.hpp"
#include "suite/learning/learn.hpp"
#include "suite/measure.hpp"
#include "suite/operators.hpp"
#include "suite/out_of_memory.hpp"
#include "suite/peaks.hpp"
#include "suite/precision.hpp"
#include "suite/preload.hpp"
#include "suite/profile.hpp"
#include "suite/registry.hpp"
#include "suite/timeline/timeline.hpp"
#include "suite/why_not.hpp"

namespace tbci::suite {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// An operator that this LibTorch does not have, or for which it has no kernel on the device.
bool tells_of_missing_operator(const std::string& message) {
  return message.find("Could not find schema for") != std::string::npos ||
         (message.find("Could not run '") != std::string::npos && message.find("backend") != std::string::npos);
}

void prepare_torch(const RunOptions& options) {
  torch::set_num_threads(options.threads);
  if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);  // LibTorch accepts it only once per process
  torch::manual_seed(options.seed);
}

using Clock = std::chrono::steady_clock;

std::int64_t nanoseconds(Clock::duration duration) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count();
}

// What the options name, ready for its first measured iteration.
struct Prepared {
  Workload& workload;
  Clock::time_point begin;                          // of the setup
  std::map<std::string, std::int64_t> computed_in;  // see check_precision
  std::optional<Compiling> compiling;
};

// A worker process does one job: it makes the workload and passes it to the job.
using Job = std::function<void(Prepared& prepared, Protocol& protocol)>;

std::int64_t elements(const Tensors& tensors) {
  std::int64_t sum = 0;
  for (const torch::Tensor& tensor : tensors) sum += tensor.numel();
  return sum;
}

// Whether the last iteration computed numbers: after all that is measured, so that it costs no time and no memory of
// it. Nothing where there is nothing to look at, or this LibTorch cannot say.
std::optional<bool> are_finite(const Workload& workload) {
  std::optional<bool> finite;
  try {
    const torch::NoGradGuard no_grad;
    for (const torch::Tensor& result : workload.results()) {
      if (!result.defined() || !result.is_floating_point() || result.numel() == 0) continue;
      finite = finite.value_or(true) && torch::isfinite(result).all().item<bool>();
    }
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): its numbers are as good as before
  }
  return finite;
}

IterationPlan plan_of(const RunOptions& options) {
  return {options.configuration.device, options.warmup, options.iterations, options.warmup_time};
}

// An iteration that takes this long hardly feels that its first tenths of a millisecond refill the caches.
constexpr std::chrono::milliseconds refilled{10};

void measure_benchmark(const RunOptions& options, const InstructionCounter& counter, Prepared& prepared,
                       Protocol& protocol) {
  const IterationPlan plan = plan_of(options);
  Workload& workload = prepared.workload;
  const auto made = Clock::now();
  const auto warmup = warm_up(workload, plan);
  const auto ready = Clock::now();
  workload.restart_evidence();

  Alternation alternation(options.alternate, STDIN_FILENO);
  alternation.meet(!warmup.empty() && warmup.back() < refilled);
  auto [use, steady] = measure(workload, plan, counter, alternation, protocol);
  const std::vector<Evidence> evidence = workload.evidence();  // before iterations that are not measured
  if (options.growth.iterations > 0) use.growth = watch_growth(workload, plan.device, options.growth);
  protocol.memory(use);
  for (const Evidence& counted : evidence) protocol.evidence(counted);
  RunTimes times{options.iterations, nanoseconds(ready - prepared.begin), nanoseconds(ready - made),
                 use.growth ? use.growth->wall.count() : 0};
  times.alternated = alternation.turns();
  times.computed_in = std::move(prepared.computed_in);
  times.compiling = prepared.compiling;
  times.unsteady = unsteady(warmup, steady);
  if (plan.device == DeviceKind::gpu && options.gpu_traced > 0)
    times.gpu = gpu_split([&] { workload.iterate(); }, options.gpu_traced);
  times.finite = are_finite(workload);
  protocol.done(times, elements(workload.parameters()));
}

int fail(Protocol& protocol, std::string_view kind, std::string_view message) {
  protocol.error(kind, message);
  return exit_error;
}

// Of what a backend computes. Of 16 bits, compilers keep some sums in 32 where eager rounds them.
double tolerance_of(Precision precision) {
  const bool rounds = precision == Precision::bf16 || precision == Precision::fp16 || precision == Precision::amp;
  return rounds ? 5e-2 : 1e-3;
}

// Two more iterations, where the options name a variant: a variant that the workload has no place for would be measured
// as if it were free. Two, as the first has no gradients of an earlier one.
void check_variant(const RunOptions& options, Workload& workload) {
  if (options.variant == Variant::none) return;
  for (int i = 0; i < 2; ++i) workload.iterate();
  if (!variant_was_met())
    throw Unsupported(std::string(named(options.variant).name) + " changes nothing in " + options.benchmark + ": " +
                      why_not_met(options.variant));
}

// The job gets it when it is made, in its precision and by its backend.
void prepare(const RunOptions& options, const Setup& setup, const Benchmark& benchmark, Protocol& protocol,
             const Job& job) {
  const auto begin = Clock::now();
  const DeviceKind device = options.configuration.device;
  const VariantInForce in_force(options.variant);
  prepare_precision(options.precision, device);
  std::map<std::string, std::int64_t> computed_in;
  const auto make = [&] {
    auto workload = in_precision(benchmark.make(setup), options.precision, device);
    computed_in = check_precision(*workload, options.precision, device);
    return workload;
  };
  BackendWorkload made = in_backend(
      make, setup.mode,
      {options.backend, options.seed, tolerance_of(options.precision), options.package, torch_device(device)});
  check_variant(options, *made.workload);
  Prepared prepared{*made.workload, begin, std::move(computed_in), made.compiling};
  job(prepared, protocol);
}

// Whatever `work` throws becomes an error line.
int told(Protocol& protocol, const std::function<void()>& work) {
  try {
    work();
    return exit_done;
  } catch (const Unsupported& error) {
    return fail(protocol, "unsupported", error.what());
  } catch (const c10::OutOfMemoryError& error) {
    return fail(protocol, "out_of_memory", first_line(error.what_without_backtrace()));
  } catch (const std::bad_alloc&) {
    return fail(protocol, "out_of_memory", "the host's memory is used up (std::bad_alloc)");
  } catch (const c10::Error& error) {
    const std::string message = error.what_without_backtrace();
    std::fprintf(stderr, "%s\n", error.what());  // with the stack: the protocol has its first line alone
    if (tells_of_missing_operator(message)) return fail(protocol, "unsupported", first_line(message));
    return fail(protocol, tells_of_memory(message) ? "out_of_memory" : "exception", first_line(message));
  } catch (const std::exception& error) {
    return fail(protocol, tells_of_memory(error.what()) ? "out_of_memory" : "exception", first_line(error.what()));
  }
}

int with_workload(const RunOptions& options, Protocol& protocol, const Job& job) {
  const GpuAbsence absence = why_unavailable(options.configuration.device);  // before all that asks LibTorch for CUDA
  const Choice choice = choose_benchmark(options);
  const Benchmark* benchmark = choice.benchmark.get();
  const Configuration& configuration = options.configuration;
  const std::int64_t own_batch = benchmark ? benchmark->batch(options.size).of(configuration.mode) : 0;
  const std::int64_t batch = options.batch.value_or(own_batch);
  protocol.hello(options, batch);
  const std::string reason = why_not(choice, options, absence.why);
  if (!reason.empty())
    return fail(protocol, absence.broken && reason == absence.why ? "exception" : "unsupported", reason);

  const std::string not_loaded = preload(options.preload);
  if (!not_loaded.empty()) return fail(protocol, "exception", not_loaded);
  return told(protocol, [&] {
    prepare_torch(options);
    prepare(options,
            {configuration.mode, options.size, batch, torch_device(configuration.device), options.chosen,
             options.ranks.value_or(benchmark->ranks)},
            *benchmark, protocol, job);
  });
}

}  // namespace

int list_benchmarks(Protocol& protocol) {
  protocol.hello();
  for (const Benchmark& benchmark : all_benchmarks()) protocol.benchmark(benchmark);
  protocol.done();
  return exit_done;
}

int list_variants(Protocol& protocol) {
  protocol.hello();
  for (const NamedVariant& variant : all_variants) protocol.variant(variant);
  protocol.done();
  return exit_done;
}

int list_benchmarks(const ListOptions& options, Protocol& protocol) {
  if (options.variants) return list_variants(protocol);
  return options.models.empty() ? list_benchmarks(protocol) : exported::list(options.models, protocol);
}

int run_benchmark(const RunOptions& options, Protocol& protocol) {
  const InstructionCounter counter;
  return with_workload(options, protocol,
                       [&](Prepared& prepared, Protocol& to) { measure_benchmark(options, counter, prepared, to); });
}

namespace {

// Of the process and not of a model.
int tell_without_model(const RunOptions& options, Protocol& protocol, const std::function<void(bool gpu)>& tell) {
  const bool gpu = why_unavailable(DeviceKind::gpu).why.empty();
  protocol.hello();
  try {
    const std::string not_loaded = preload(options.preload);
    if (!not_loaded.empty()) return fail(protocol, "exception", not_loaded);
    prepare_torch(options);
    tell(gpu);
    protocol.done();
    return exit_done;
  } catch (const c10::Error& error) {
    return fail(protocol, "exception", first_line(error.what_without_backtrace()));
  } catch (const std::exception& error) {
    return fail(protocol, "exception", first_line(error.what()));
  }
}

}  // namespace

int tell_environment(const RunOptions& options, Protocol& protocol) {
  return tell_without_model(options, protocol, [&](bool gpu) { protocol.environment(read_environment(gpu)); });
}

int tell_peaks(const RunOptions& options, Protocol& protocol) {
  return tell_without_model(options, protocol, [&](bool gpu) {
    protocol.peaks(DeviceKind::cpu, peaks_of(DeviceKind::cpu));
    if (gpu) protocol.peaks(DeviceKind::gpu, peaks_of(DeviceKind::gpu));
  });
}

int tell_operators(const RunOptions& options, Protocol& protocol) {
  return with_workload(options, protocol, [&](Prepared& prepared, Protocol& to) {
    prepared.workload.iterate();  // one-time work, such as making the optimizer's state, is not part of an iteration
    to.operators(operators_of([&] { prepared.workload.iterate(); }));
    to.done();
  });
}

int profile_benchmark(const RunOptions& options, Protocol& protocol) {
  return with_workload(options, protocol, [&](Prepared& prepared, Protocol& to) {
    const IterationPlan plan = plan_of(options);
    warm_up(prepared.workload, plan);
    to.profile(profile(prepared.workload, plan));
    to.done();
  });
}

int trace_benchmark(const TraceOptions& options, Protocol& protocol) {
  return with_workload(options.run, protocol, [&](Prepared& prepared, Protocol& to) {
    write_trace(prepared.workload, options.out, options.run.seed);
    to.done();
  });
}

namespace {

// Whether its work goes through LibTorch's dispatcher, where calls are recorded: else all of it would look idle.
bool makes_calls(Backend backend) {
  return backend == Backend::eager || backend == Backend::channels_last || backend == Backend::jit;
}

void refuse_without_calls(Backend backend) {
  if (!makes_calls(backend))
    throw Unsupported(std::string(name_of(backend)) + " runs code that makes no calls of operators to record");
}

}  // namespace

int record_benchmark(const RunOptions& options, Protocol& protocol) {
  return with_workload(options, protocol, [&](Prepared& prepared, Protocol& to) {
    const IterationPlan plan = plan_of(options);
    refuse_without_calls(options.backend);
    warm_up(prepared.workload, plan);
    Timeline timeline = record_timeline(prepared.workload, plan);
    measure_speed(plan.device, timeline.speed);
    to.timeline(timeline);
    to.done();
  });
}

int tell_graph(const RunOptions& options, Protocol& protocol) {
  return with_workload(options, protocol, [&](Prepared& prepared, Protocol& to) {
    IterationPlan plan = plan_of(options);
    refuse_without_calls(options.backend);
    warm_up(prepared.workload, plan);
    plan.iterations = 1;
    to.graph(record_timeline(prepared.workload, plan));
    to.done();
  });
}

int learn_clicks(const LearnOptions& options, Protocol& protocol) {
  const RunOptions& run = options.run;
  const Choice choice = choose_benchmark(run);
  protocol.hello(run, learning::batch_of_samples);
  const std::string reason = why_not_learned(choice, run);
  if (!reason.empty()) return fail(protocol, "unsupported", reason);
  const std::string not_loaded = preload(run.preload);
  if (!not_loaded.empty()) return fail(protocol, "exception", not_loaded);
  return told(protocol, [&] {
    prepare_torch(run);
    protocol.learned(options.over, learning::train({options.over, options.amount, run.seed, options.rounded}));
    protocol.done();
  });
}

}  // namespace tbci::suite
