#include "suite/growth.hpp"

#include <vector>

#include "suite/benchmark.hpp"
#include "suite/device.hpp"
#include "suite/memory.hpp"

namespace tbci::suite {
namespace {

// Room is reserved first: the bookkeeping's own allocations must not look like growth of the model.
std::vector<double> room_for(int iterations) {
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(iterations));
  return values;
}

// Runs at least `fewest` iterations, unless the plan has fewer.
Growth look(Workload& workload, DeviceKind device, const GrowthPlan& plan, int fewest) {
  const bool gpu = device == DeviceKind::gpu;
  std::vector<double> in_use = room_for(plan.iterations);
  std::vector<double> resident = room_for(plan.iterations);
  std::vector<double> on_gpu = room_for(gpu ? plan.iterations : 0);

  Growth growth;
  const auto begin = std::chrono::steady_clock::now();
  while (growth.iterations < plan.iterations) {
    workload.iterate();
    synchronize(device);
    settle_allocator();
    in_use.push_back(static_cast<double>(in_use_bytes()));
    resident.push_back(static_cast<double>(resident_bytes()));
    if (gpu) on_gpu.push_back(static_cast<double>(gpu_in_use_bytes()));
    ++growth.iterations;
    growth.wall = std::chrono::steady_clock::now() - begin;
    if (growth.wall >= plan.time && growth.iterations >= fewest) break;
  }
  growth.in_use = theil_sen(in_use);
  growth.resident = theil_sen(resident);
  if (gpu) growth.gpu = theil_sen(on_gpu);
  return growth;
}

bool rises(const Slope& slope) {
  return slope.interval && slope.interval->low > worth_another_look;
}

}  // namespace

Growth watch_growth(Workload& workload, DeviceKind device, const GrowthPlan& plan) {
  Growth growth = look(workload, device, plan, fewest_grown);
  for (int looks = 1; looks < most_looks; ++looks) {
    if (!rises(growth.in_use) && !(growth.gpu && rises(*growth.gpu))) break;
    const auto before = growth.wall;
    growth = look(workload, device, plan, fewest_grown_again);
    growth.wall += before;
  }
  return growth;
}

}  // namespace tbci::suite
