#include <algorithm>
#include <functional>
#include <limits>

#include <torch/torch.h>

#include "suite/device.hpp"
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

void measure_speed(DeviceKind device, MachineSpeed& speed) {
  const torch::NoGradGuard no_gradients;
  speed.dispatch_nanoseconds = time_of_a_dispatch();
  speed.bytes_per_second = speed_of_copies(device);
  speed.flops_per_second = speed_of_products(device);
}

}  // namespace tbci::suite
