#include "suite/gpu/load.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <array>

namespace tbci::suite {
namespace {

// As in nvml.h, which comes with no wheel.
struct nvmlDevice_st;
using Device = nvmlDevice_st*;
constexpr int good = 0, sm_clock = 1, core_sensor = 0;

struct Nvml {
  int (*clock)(Device device, int which, unsigned int* mhz) = nullptr;
  int (*temperature)(Device device, int sensor, unsigned int* celsius) = nullptr;
  int (*reasons)(Device device, unsigned long long* bits) = nullptr;
  Device device = nullptr;  // null: there is nothing to ask
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

// NVML counts devices otherwise than CUDA, which may show only some of them.
Device device_of(void* library) {
  int (*begin)() = nullptr;
  int (*by_bus)(const char* bus, Device* device) = nullptr;
  if (!find(library, "nvmlInit_v2", begin) || !find(library, "nvmlDeviceGetHandleByPciBusId_v2", by_bus))
    return nullptr;
  std::array<char, 32> bus{};
  Device device = nullptr;
  const bool known = cudaDeviceGetPCIBusId(bus.data(), static_cast<int>(bus.size()), 0) == cudaSuccess &&
                     begin() == good && by_bus(bus.data(), &device) == good;
  return known ? device : nullptr;
}

Nvml open_nvml() {
  Nvml nvml;
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
  if (library == nullptr) return nvml;
  const bool complete = find(library, "nvmlDeviceGetClockInfo", nvml.clock) &&
                        find(library, "nvmlDeviceGetTemperature", nvml.temperature) &&
                        // Its name since driver 535 says "event" in place of "throttle"; both are there.
                        find(library, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml.reasons);
  if (complete) nvml.device = device_of(library);
  return nvml;
}

}  // namespace

std::optional<GpuState> read_gpu_state() {
  static const Nvml nvml = open_nvml();
  if (nvml.device == nullptr) return std::nullopt;
  unsigned int mhz = 0, celsius = 0;
  unsigned long long reasons = 0;
  const bool told = nvml.clock(nvml.device, sm_clock, &mhz) == good &&
                    nvml.temperature(nvml.device, core_sensor, &celsius) == good &&
                    nvml.reasons(nvml.device, &reasons) == good;
  return told ? std::optional(GpuState{mhz, celsius, reasons}) : std::nullopt;
}

}  // namespace tbci::suite
