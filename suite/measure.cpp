#include "suite/measure.hpp"

#include <algorithm>
#include <chrono>

#include "suite/device.hpp"
#include "suite/instructions.hpp"
#include "suite/memory.hpp"

namespace tbci::suite {
namespace {

Sample measure_one(Workload& workload, DeviceKind device, const InstructionCounter& counter, int iteration) {
  synchronize(device);
  const auto instructions_before = counter.read();
  const auto begin = std::chrono::steady_clock::now();
  workload.iterate();
  synchronize(device);
  const auto end = std::chrono::steady_clock::now();
  const auto instructions_after = counter.read();

  Sample sample{iteration, std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count(), std::nullopt};
  // A CPU that waits for a GPU spins in a loop: the instructions that it executes there say nothing about the work.
  if (device == DeviceKind::cpu && instructions_before && instructions_after)
    sample.instructions = counted_between(*instructions_before, *instructions_after);
  return sample;
}

std::chrono::nanoseconds middle_of(std::vector<std::chrono::nanoseconds> times) {
  const auto middle = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2);
  std::nth_element(times.begin(), middle, times.end());
  return times.empty() ? std::chrono::nanoseconds(0) : *middle;
}

// At the GPU's clock, between two iterations: so often it costs little, and a clock that moves is seen.
constexpr int load_readings = 8;

}  // namespace

std::vector<std::chrono::nanoseconds> warm_up(Workload& workload, const IterationPlan& plan) {
  std::vector<std::chrono::nanoseconds> times;
  const auto first = std::chrono::steady_clock::now();
  auto begin = first, end = first;
  for (int i = 0; i < plan.warmup || end - first < plan.warmup_time; ++i) {
    begin = std::chrono::steady_clock::now();
    workload.iterate();
    synchronize(plan.device);
    end = std::chrono::steady_clock::now();
    times.push_back(end - begin);
  }
  return times;
}

int unsteady(const std::vector<std::chrono::nanoseconds>& iterations, std::chrono::nanoseconds steady) {
  const auto slow = [&](std::chrono::nanoseconds time) { return 10 * time > 11 * steady; };
  return static_cast<int>(std::find_if_not(iterations.begin(), iterations.end(), slow) - iterations.begin());
}

Measured measure(Workload& workload, const IterationPlan& plan, const InstructionCounter& counter,
                 Alternation& alternation, Protocol& protocol) {
  if (!reset_peak())
    std::fputs("tbci-worker: clear_refs is not writable: the peak is that of the whole process\n", stderr);
  if (plan.device == DeviceKind::gpu) reset_gpu_peak();
  MemoryUse use;
  std::vector<std::chrono::nanoseconds> times;
  times.reserve(static_cast<std::size_t>(plan.iterations));
  const int between_looks = std::max(1, plan.iterations / load_readings);
  for (int i = 0; i < plan.iterations; ++i) {
    if (alternation.take() && alternation.primes()) workload.iterate();
    const Sample sample = measure_one(workload, plan.device, counter, i);
    protocol.sample(sample);
    times.emplace_back(sample.nanoseconds);
    if (plan.device == DeviceKind::gpu && (i + 1) % between_looks == 0) {
      if (const auto state = gpu_state()) use.load = together(use.load, *state);
    }
    alternation.give(i + 1 == plan.iterations);
  }
  use.cpu_peak_bytes = peak_bytes();
  if (plan.device == DeviceKind::gpu) use.gpu = GpuPeaks{gpu_peak_bytes(), gpu_reserved_peak_bytes()};
  return {use, middle_of(std::move(times))};
}

}  // namespace tbci::suite
