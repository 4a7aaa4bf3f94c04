#include "suite/peaks.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <limits>

#include <torch/torch.h>

#include "suite/device.hpp"

namespace tbci::suite {
namespace {

constexpr int tries_of_peaks = 7;
// So long that what surrounds the work does not count, and so short that all of it takes about a second.
constexpr std::chrono::nanoseconds long_product = std::chrono::milliseconds(25);

std::chrono::nanoseconds time_once(DeviceKind device, const std::function<void()>& work) {
  synchronize(device);
  const auto begin = std::chrono::steady_clock::now();
  work();
  synchronize(device);
  return std::max<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin, std::chrono::nanoseconds(1));
}

std::chrono::nanoseconds best_time(DeviceKind device, const std::function<void()>& work) {
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < tries_of_peaks; ++i) best = std::min(best, time_once(device, work));
  return best;
}

std::int64_t each_second(double amount, std::chrono::nanoseconds time) {
  return std::max<std::int64_t>(static_cast<std::int64_t>(amount * 1e9 / static_cast<double>(time.count())), 1);
}

// The matrices grow until a product takes long enough: a device without such instructions is slower by a hundred times.
std::int64_t product_flops(DeviceKind device, torch::ScalarType type) {
  const std::int64_t most_rows = device == DeviceKind::gpu ? 8192 : 2048;
  for (std::int64_t rows = 256;; rows *= 2) {
    const torch::Tensor a = torch::ones({rows, rows}, torch::TensorOptions(torch_device(device)).dtype(type));
    const torch::Tensor b = torch::ones_like(a);
    torch::Tensor product = torch::empty_like(a);
    const auto multiply = [&] { at::mm_out(product, a, b); };
    multiply();  // loads and chooses what computes it
    if (time_once(device, multiply) < long_product && rows < most_rows) continue;
    const auto size = static_cast<double>(rows);
    return each_second(2 * size * size * size, best_time(device, multiply));
  }
}

std::optional<std::int64_t> bf16_product_flops(DeviceKind device) {
  try {
    return product_flops(device, torch::kBFloat16);
  } catch (const c10::Error&) {
    return std::nullopt;
  }
}

std::int64_t copied_bytes(DeviceKind device) {
  constexpr std::int64_t floats = std::int64_t{32} << 20U;
  const torch::Tensor from = torch::ones({floats}, torch_device(device)), to = torch::zeros_like(from);
  return each_second(2.0 * 4.0 * floats, best_time(device, [&] { to.copy_(from); }));
}

}  // namespace

Peaks peaks_of(DeviceKind device) {
  const torch::NoGradGuard no_gradients;
  return {product_flops(device, torch::kFloat), bf16_product_flops(device), copied_bytes(device)};
}

}  // namespace tbci::suite
