#include "tests/suite/truth/gpu_known.hpp"

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <vector>

#include "suite/device.hpp"
#include "tests/suite/truth/known.hpp"

namespace tbci::suite::truth {
namespace {

using Clock = std::chrono::steady_clock;
using Microseconds = std::chrono::duration<double, std::micro>;

torch::Device gpu() {
  return torch_device(DeviceKind::gpu);
}

void wait_for_gpu() {
  synchronize(DeviceKind::gpu);
}

// Does not sleep: the kernel may wake a process late.
void busy_wait(Microseconds time) {
  const auto begin = Clock::now();
  while (Clock::now() - begin < time) continue;
}

// The smallest of several: other work on the machine only adds.
double smallest_microseconds(int times, const std::function<void()>& work) {
  double smallest = 1e18;
  for (int i = 0; i < times; ++i) {
    wait_for_gpu();
    const auto begin = Clock::now();
    work();
    wait_for_gpu();
    smallest = std::min(smallest, Microseconds(Clock::now() - begin).count());
  }
  return smallest;
}

// Kernels of a known length on the current stream. A GPU's clock is what it makes of it (power, heat, a lock), so it is
// measured, once it had the time to rise from idle.
class Spinner {
 public:
  Spinner() : sleep_(find()) {
    constexpr std::int64_t short_cycles = 2'000'000, long_cycles = 40'000'000;  // of the order of 1 and 20 ms
    for (int i = 0; i < 10; ++i) sleep_(long_cycles);
    double shorter = 1e18, longer = 1e18;
    for (int i = 0; i < 7; ++i) {  // in turns, as the clock may move
      shorter = std::min(shorter, smallest_microseconds(1, [&] { sleep_(short_cycles); }));
      longer = std::min(longer, smallest_microseconds(1, [&] { sleep_(long_cycles); }));
    }
    megahertz_ = megahertz_by({short_cycles, shorter}, {long_cycles, longer});
    std::fprintf(stderr,
                 "suite-truth: the SM clock has %.2f MHz; to start a spin and to hear of its end takes %.2f us\n",
                 megahertz_, shorter - static_cast<double>(short_cycles) / megahertz_);
  }
  void spin(double microseconds) const { sleep_(cycles_of(microseconds, megahertz_)); }

 private:
  using Sleep = void (*)(std::int64_t cycles);

  // at::cuda::sleep(int64_t) of libtorch_cuda, which this program is not linked with.
  static Sleep find() {
    const auto found = reinterpret_cast<Sleep>(dlsym(RTLD_DEFAULT, "_ZN2at4cuda5sleepEl"));
    if (found == nullptr)
      throw Unsupported("this LibTorch has no at::cuda::sleep(int64_t), which makes kernels of a known length");
    return found;
  }

  Sleep sleep_;
  double megahertz_ = 0;
};

class Spin final : public Known {
 public:
  Spin(std::int64_t microseconds, bool then_wait)
      : microseconds_(static_cast<double>(microseconds)), then_wait_(then_wait) {}
  void iterate() override {
    spinner_.spin(microseconds_);
    if (!then_wait_) return;
    wait_for_gpu();
    busy_wait(Microseconds(microseconds_));
  }

 private:
  double microseconds_;
  bool then_wait_;
  Spinner spinner_;
};

class Spins final : public Known {
 public:
  explicit Spins(std::int64_t microseconds) : microseconds_(static_cast<double>(microseconds)) {
    const c10::impl::VirtualGuardImpl cuda(c10::DeviceType::CUDA);
    for (int i = 0; i < 2; ++i) streams_.push_back(cuda.getStreamFromGlobalPool(gpu()));
    if (streams_[0] == streams_[1]) throw Unsupported("LibTorch gives the same stream twice");
  }
  void iterate() override {
    for (const c10::Stream& stream : streams_) {
      const c10::StreamGuard on(stream);
      spinner_.spin(microseconds_);
    }
  }

 private:
  double microseconds_;
  Spinner spinner_;
  std::vector<c10::Stream> streams_;
};

enum class Place { host, gpu };

torch::Tensor bytes_on(Place place, std::int64_t bytes) {
  const auto type = torch::TensorOptions(torch::kByte);
  torch::Tensor made = torch::empty({bytes}, place == Place::gpu ? type.device(gpu()) : type.pinned_memory(true));
  if (place == Place::host && !made.is_pinned()) throw Unsupported("LibTorch gives no page-locked memory");
  return made.fill_(1);
}

class Copy final : public Known {
 public:
  Copy(Place from, Place to, std::int64_t bytes, bool then_wait)
      : from_(bytes_on(from, bytes)), to_(bytes_on(to, bytes)), then_wait_(then_wait) {
    constexpr int timed = 7;
    copy();
    took_ = Microseconds(smallest_microseconds(timed, [&] { copy(); }));
    std::fprintf(stderr, "suite-truth: a copy takes %.2f us\n", took_.count());
  }
  void iterate() override {
    copy();
    if (!then_wait_) return;
    wait_for_gpu();
    busy_wait(took_);
  }

 private:
  void copy() { to_.copy_(from_, /*non_blocking=*/true); }

  torch::Tensor from_;
  torch::Tensor to_;
  bool then_wait_;
  Microseconds took_{0};
};

class TouchGpu final : public Known {
 public:
  explicit TouchGpu(std::int64_t bytes) : bytes_(bytes) {}
  void iterate() override { bytes_on(Place::gpu, bytes_); }

 private:
  std::int64_t bytes_;
};

class KeepGpu final : public Known {
 public:
  explicit KeepGpu(std::int64_t bytes) : bytes_(bytes) { kept_.reserve(Keep::most); }
  void iterate() override { kept_.push_back(bytes_on(Place::gpu, bytes_)); }

 private:
  std::int64_t bytes_;
  Tensors kept_;
};

using Maker = std::unique_ptr<Workload> (*)(std::int64_t amount);

const std::map<std::string, Maker>& makers() {
  static const std::map<std::string, Maker> all = {
      {"spin", [](std::int64_t us) -> std::unique_ptr<Workload> { return std::make_unique<Spin>(us, false); }},
      {"spins", [](std::int64_t us) -> std::unique_ptr<Workload> { return std::make_unique<Spins>(us); }},
      {"spin-sleep", [](std::int64_t us) -> std::unique_ptr<Workload> { return std::make_unique<Spin>(us, true); }},
      {"to-gpu",
       [](std::int64_t bytes) -> std::unique_ptr<Workload> {
         return std::make_unique<Copy>(Place::host, Place::gpu, bytes, false);
       }},
      {"from-gpu",
       [](std::int64_t bytes) -> std::unique_ptr<Workload> {
         return std::make_unique<Copy>(Place::gpu, Place::host, bytes, false);
       }},
      {"on-gpu",
       [](std::int64_t bytes) -> std::unique_ptr<Workload> {
         return std::make_unique<Copy>(Place::gpu, Place::gpu, bytes, false);
       }},
      {"copy-sleep",
       [](std::int64_t bytes) -> std::unique_ptr<Workload> {
         return std::make_unique<Copy>(Place::host, Place::gpu, bytes, true);
       }},
      {"gpu-touch", [](std::int64_t bytes) -> std::unique_ptr<Workload> { return std::make_unique<TouchGpu>(bytes); }},
      {"gpu-keep", [](std::int64_t bytes) -> std::unique_ptr<Workload> { return std::make_unique<KeepGpu>(bytes); }},
  };
  return all;
}

}  // namespace

bool is_gpu_kind(const std::string& kind) {
  return makers().count(kind) > 0;
}

std::unique_ptr<Workload> gpu_workload(const std::string& kind, std::int64_t amount) {
  if (amount <= 0) throw Unsupported("'" + kind + "' needs a number above 0 behind a colon, as in " + kind + ":1000");
  return makers().at(kind)(amount);
}

}  // namespace tbci::suite::truth
