#include "suite/measure.hpp"

#include <chrono>

#include "suite/device.hpp"
#include "suite/instructions.hpp"
#include "suite/memory.hpp"
#include "suite/statistics.hpp"

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
  // A CPU that waits for a GPU goes round and round: what it executes there says nothing of the work.
  if (device == DeviceKind::cpu && instructions_before && instructions_after)
    sample.instructions = counted_between(*instructions_before, *instructions_after);
  return sample;
}

}  // namespace

void warm_up(Workload& workload, const Plan& plan) {
  for (int i = 0; i < plan.warmup; ++i) workload.iterate();
  synchronize(plan.device);
}

MemoryUse measure(Workload& workload, const Plan& plan, const InstructionCounter& counter, Protocol& protocol) {
  const bool gpu = plan.device == DeviceKind::gpu;
  // Room is made first: what the bookkeeping allocates must not look like growth of the model.
  std::vector<double> cpu_in_use;
  std::vector<double> gpu_in_use;
  cpu_in_use.reserve(static_cast<std::size_t>(plan.iterations));
  gpu_in_use.reserve(static_cast<std::size_t>(plan.iterations));

  if (!reset_peak()) std::fputs("tbci-worker: the peak is the whole process's: clear_refs cannot be written\n", stderr);
  if (gpu) reset_gpu_peak();
  for (int i = 0; i < plan.iterations; ++i) {
    const Sample sample = measure_one(workload, plan.device, counter, i);
    settle_allocator();
    cpu_in_use.push_back(static_cast<double>(in_use_bytes()));
    if (gpu) gpu_in_use.push_back(static_cast<double>(gpu_in_use_bytes()));
    protocol.sample(sample);
  }
  MemoryUse use{peak_bytes(), theil_sen_slope(cpu_in_use), std::nullopt};
  if (gpu) use.gpu = GpuMemory{gpu_peak_bytes(), theil_sen_slope(gpu_in_use)};
  return use;
}

}  // namespace tbci::suite
