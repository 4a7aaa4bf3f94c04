#include "suite/measure.hpp"

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

}  // namespace

std::chrono::nanoseconds warm_up(Workload& workload, const IterationPlan& plan) {
  auto begin = std::chrono::steady_clock::now(), end = begin;
  for (int i = 0; i < plan.warmup; ++i) {
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
  for (int i = 0; i < plan.iterations; ++i) {
    if (alternation.take() && alternation.primes()) workload.iterate();
    protocol.sample(measure_one(workload, plan.device, counter, i));
    alternation.give(i + 1 == plan.iterations);
  }
  MemoryUse use;
  use.cpu_peak_bytes = peak_bytes();
  if (plan.device == DeviceKind::gpu) use.gpu = GpuPeaks{gpu_peak_bytes(), gpu_reserved_peak_bytes()};
  return use;
}

}  // namespace tbci::suite
