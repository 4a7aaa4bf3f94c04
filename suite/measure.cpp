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

// At the GPU's clock, between two iterations: so often it costs little, and a clock that moves is seen.
constexpr int load_readings = 8;

}  // namespace

std::chrono::nanoseconds warm_up(Workload& workload, const IterationPlan& plan) {
  const auto first = std::chrono::steady_clock::now();
  auto begin = first, end = first;
  for (int i = 0; i < plan.warmup || end - first < plan.warmup_time; ++i) {
    begin = std::chrono::steady_clock::now();
    workload.iterate();
    synchronize(plan.device);
    end = std::chrono::steady_clock::now();
  }
  return end - begin;
}

MemoryUse measure(Workload& workload, const IterationPlan& plan, const InstructionCounter& counter,
                  Alternation& alternation, Protocol& protocol) {
  if (!reset_peak())
    std::fputs("tbci-worker: clear_refs is not writable: the peak is that of the whole process\n", stderr);
  if (plan.device == DeviceKind::gpu) reset_gpu_peak();
  MemoryUse use;
  const int between_looks = std::max(1, plan.iterations / load_readings);
  for (int i = 0; i < plan.iterations; ++i) {
    if (alternation.take() && alternation.primes()) workload.iterate();
    protocol.sample(measure_one(workload, plan.device, counter, i));
    if (plan.device == DeviceKind::gpu && (i + 1) % between_looks == 0) {
      if (const auto state = gpu_state()) use.load = together(use.load, *state);
    }
    alternation.give(i + 1 == plan.iterations);
  }
  use.cpu_peak_bytes = peak_bytes();
  if (plan.device == DeviceKind::gpu) use.gpu = GpuPeaks{gpu_peak_bytes(), gpu_reserved_peak_bytes()};
  return use;
}

}  // namespace tbci::suite
