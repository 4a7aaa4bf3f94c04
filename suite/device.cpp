#include "suite/device.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <array>

#include "suite/gpu/half.hpp"

namespace tbci::suite {
namespace {

struct LoadedHalf {
  const GpuHalf* functions = nullptr;
  std::string why_none;
};

#ifndef TBCI_TORCH_WITHOUT_CUDA
// The driver's library, or its part in the kernel.
bool has_driver() {
  return dlopen("libcuda.so.1", RTLD_LAZY) != nullptr || access("/proc/driver/nvidia/version", F_OK) == 0;
}
#endif

#ifdef TBCI_WHY_NO_GPU
LoadedHalf load_half() {
  return {nullptr, TBCI_WHY_NO_GPU};
}
#else
// The library lies beside the program, also where the program was linked into another folder.
std::string beside_program(const char* name) {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  if (length <= 0) return name;
  const std::string program(path.data(), static_cast<std::size_t>(length));
  return program.substr(0, program.rfind('/') + 1) + name;
}

LoadedHalf load_half() {
  // Its symbols are for all: kernels that are compiled while a model runs look for LibTorch's there.
  void* library = dlopen(beside_program("libtbci-gpu.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return {nullptr, std::string("the worker's half for the GPU is not loaded: ") + dlerror()};
  using Export = const GpuHalf* (*)();
  const auto get = reinterpret_cast<Export>(dlsym(library, gpu_half_name));
  if (get == nullptr) return {nullptr, std::string("the worker's half for the GPU is not one: ") + dlerror()};
  return {get(), {}};
}
#endif

const LoadedHalf& half() {
  static const LoadedHalf loaded = load_half();
  return loaded;
}

}  // namespace

GpuAbsence why_unavailable(DeviceKind kind) {
  if (kind == DeviceKind::cpu) return {};
#ifdef TBCI_TORCH_WITHOUT_CUDA
  return {half().why_none, false};
#else
  // All of CUDA is not loaded to find that out. CUDA would say that the driver is too old.
  if (!has_driver()) return {"no CUDA device was found on this machine", false};
  return half().functions == nullptr ? GpuAbsence{half().why_none, true} : half().functions->look();
#endif
}

torch::Device torch_device(DeviceKind kind) {
  return kind == DeviceKind::gpu ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
}

void synchronize(DeviceKind kind) {
  if (kind == DeviceKind::gpu) torch::cuda::synchronize(0);
}

int gpu_compute_capability() {
  return half().functions == nullptr ? 0 : half().functions->compute_capability();
}

void reset_gpu_peak() {
  if (half().functions != nullptr) half().functions->reset_peak();
}

std::int64_t gpu_peak_bytes() {
  return half().functions == nullptr ? 0 : half().functions->peak_bytes();
}

std::int64_t gpu_reserved_peak_bytes() {
  return half().functions == nullptr ? 0 : half().functions->reserved_peak_bytes();
}

std::int64_t gpu_in_use_bytes() {
  return half().functions == nullptr ? 0 : half().functions->in_use_bytes();
}

std::optional<GpuSplit> gpu_split(const std::function<void()>& iterate, int iterations) {
  return half().functions == nullptr ? std::nullopt : half().functions->trace(iterate, iterations);
}

std::optional<GpuState> gpu_state() {
  return half().functions == nullptr ? std::nullopt : half().functions->state();
}

std::unique_ptr<CallerTrace> trace_gpu_callers() {
  return half().functions == nullptr ? nullptr : half().functions->trace_callers();
}

}  // namespace tbci::suite
