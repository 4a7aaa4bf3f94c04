#include "suite/run.hpp"

#include <chrono>
#include <exception>
#include <new>

#include "suite/device.hpp"
#include "suite/measure.hpp"
#include "suite/preload.hpp"
#include "suite/registry.hpp"

namespace tbci::suite {
namespace {

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

// The host's allocator of LibTorch throws a plain error, so its words must tell.
bool tells_of_memory(const std::string& message) {
  return message.find("DefaultCPUAllocator: can't allocate memory") != std::string::npos ||
         message.find("DefaultCPUAllocator: not enough memory") != std::string::npos;
}

void prepare_torch(const RunOptions& options) {
  torch::set_num_threads(options.threads);
  if (at::get_num_interop_threads() != 1) at::set_num_interop_threads(1);  // LibTorch takes it once in a process
  torch::manual_seed(options.seed);
}

void measure_benchmark(const Benchmark& benchmark, const RunOptions& options, std::int64_t batch, Protocol& protocol) {
  const auto begin = std::chrono::steady_clock::now();
  const Configuration& configuration = options.configuration;
  const Plan plan{configuration.device, options.warmup, options.iterations};
  const auto workload = benchmark.make({configuration.mode, options.size, batch, torch_device(configuration.device)});
  warm_up(*workload, plan);
  const auto ready = std::chrono::steady_clock::now();

  protocol.memory(measure(*workload, plan, protocol));
  protocol.done(options.iterations, std::chrono::duration_cast<std::chrono::nanoseconds>(ready - begin).count());
}

int fail(Protocol& protocol, std::string_view kind, std::string_view message) {
  protocol.error(kind, message);
  return exit_error;
}

}  // namespace

int list_benchmarks(Protocol& protocol) {
  protocol.hello();
  for (const Benchmark& benchmark : all_benchmarks()) protocol.benchmark(benchmark);
  protocol.done();
  return exit_done;
}

int run_benchmark(const RunOptions& options, Protocol& protocol) {
  const Benchmark* benchmark = find_benchmark(options.benchmark);
  const std::int64_t own_batch = benchmark ? benchmark->batch(options.size).of(options.configuration.mode) : 0;
  const std::int64_t batch = options.batch.value_or(own_batch);
  protocol.hello(options, batch);
  if (!benchmark) {
    return fail(protocol, "unsupported",
                "there is no benchmark '" + options.benchmark + "'; the nearest name is '" +
                    nearest_benchmark(options.benchmark) + "' (tbci-worker list shows all)");
  }
  const std::string reason = why_unavailable(options.configuration.device);
  if (!reason.empty()) return fail(protocol, "unsupported", reason);

  try {
    const std::string not_loaded = preload(options.preload);
    if (!not_loaded.empty()) return fail(protocol, "exception", not_loaded);
    prepare_torch(options);
    measure_benchmark(*benchmark, options, batch, protocol);
    return exit_done;
  } catch (const c10::OutOfMemoryError& error) {
    return fail(protocol, "out_of_memory", first_line(error.what_without_backtrace()));
  } catch (const std::bad_alloc&) {
    return fail(protocol, "out_of_memory", "the host's memory is used up (std::bad_alloc)");
  } catch (const c10::Error& error) {
    const std::string message = error.what_without_backtrace();
    return fail(protocol, tells_of_memory(message) ? "out_of_memory" : "exception", first_line(message));
  } catch (const std::exception& error) {
    return fail(protocol, tells_of_memory(error.what()) ? "out_of_memory" : "exception", first_line(error.what()));
  }
}

}  // namespace tbci::suite
