#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <limits>
#include <vector>

#include <torch/torch.h>

#include "suite/device.hpp"
#include "suite/timeline/lane.hpp"
#include "suite/timeline/timeline.hpp"

namespace tbci::suite {
namespace {

// The shortest of some: what else the machine does only adds.
std::int64_t shortest_of(int times, DeviceKind device, const std::function<void()>& work) {
  auto shortest = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < times; ++i) {
    synchronize(device);
    const auto begin = std::chrono::steady_clock::now();
    work();
    synchronize(device);
    shortest = std::min(shortest, std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
  }
  return std::max<std::int64_t>(shortest, 1);
}

std::int64_t per_second(double amount, std::int64_t nanoseconds) {
  return static_cast<std::int64_t>(amount * 1e9 / static_cast<double>(nanoseconds));
}

std::int64_t time_of_a_dispatch() {
  constexpr int calls = 1000;
  const torch::Tensor one = torch::ones({1}), other = torch::ones({1});
  return shortest_of(7, DeviceKind::cpu,
                     [&] {
                       for (int i = 0; i < calls; ++i) at::add(one, other);
                     }) /
         calls;
}

// By how much memory is written to more slowly the first time. Pages are of this machine's usual kind, as an allocator
// gets them.
std::int64_t time_of_a_fault() {
  constexpr std::size_t bytes = std::size_t{4} << 20U;
  std::vector<std::int64_t> costs;
  for (int i = 0; i < 9; ++i) {
    void* const block = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED) return 0;
    const auto touch = [&] { std::memset(block, 1, bytes); };
    const ThreadUse begin = use_of_this_thread();
    touch();
    const ThreadUse touched = use_of_this_thread();
    touch();
    const ThreadUse end = use_of_this_thread();
    ::munmap(block, bytes);
    const std::int64_t faults = touched.faults - begin.faults;
    const auto more = (touched.cpu - begin.cpu) - (end.cpu - touched.cpu);
    if (faults > 0) costs.push_back(std::max<std::int64_t>(more.count(), 0) / faults);
  }
  std::sort(costs.begin(), costs.end());
  return costs.empty() ? 0 : costs[costs.size() / 2];
}

std::int64_t speed_of_copies(DeviceKind device) {
  constexpr std::int64_t floats = std::int64_t{8} << 20U;
  const torch::Tensor from = torch::ones({floats}, torch_device(device)), to = torch::zeros_like(from);
  return per_second(2.0 * 4.0 * floats, shortest_of(5, device, [&] { to.copy_(from); }));
}

std::int64_t speed_of_products(DeviceKind device) {
  const std::int64_t rows = device == DeviceKind::gpu ? 4096 : 1024;
  const torch::Tensor a = torch::ones({rows, rows}, torch_device(device)), b = torch::ones_like(a);
  torch::Tensor product = torch::empty_like(a);
  const auto size = static_cast<double>(rows);
  return per_second(2 * size * size * size, shortest_of(5, device, [&] { at::mm_out(product, a, b); }));
}

}  // namespace

MachineSpeed speed_of_machine(DeviceKind device) {
  const torch::NoGradGuard no_gradients;
  return {time_of_a_dispatch(), time_of_a_fault(), speed_of_copies(device), speed_of_products(device)};
}

}  // namespace tbci::suite
