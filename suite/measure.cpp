#include "suite/measure.hpp"

#include <chrono>

#include "suite/device.hpp"
#include "suite/instructions.hpp"
#include "suite/memory.hpp"

namespace tbci::suite {
namespace {

// An iteration that takes this long hardly feels that its first tenths of a millisecond refill the caches.
constexpr std::int64_t refilled_nanoseconds = 10'000'000;

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

void warm_up(Workload& workload, const Plan& plan) {
  for (int i = 0; i < plan.warmup; ++i) workload.iterate();
  synchronize(plan.device);
}

MemoryUse measure(Workload& workload, const Plan& plan, const InstructionCounter& counter, Alternation alternation,
                  Protocol& protocol) {
  if (!reset_peak())
    std::fputs("tbci-worker: clear_refs is not writable: the peak is that of the whole process\n", stderr);
  if (plan.device == DeviceKind::gpu) reset_gpu_peak();
  alternation.meet();
  bool is_short = true;
  for (int i = 0; i < plan.iterations; ++i) {
    if (alternation.take() && is_short) workload.iterate();
    const Sample sample = measure_one(workload, plan.device, counter, i);
    is_short = sample.nanoseconds < refilled_nanoseconds;
    protocol.sample(sample);
    alternation.give(i + 1 == plan.iterations);
  }
  MemoryUse use;
  use.cpu_peak_bytes = peak_bytes();
  if (plan.device == DeviceKind::gpu) use.gpu = GpuPeaks{gpu_peak_bytes(), gpu_reserved_peak_bytes()};
  return use;
}

}  // namespace tbci::suite
