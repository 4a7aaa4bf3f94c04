#include "suite/device.hpp"

#ifdef TBCI_WITH_CUDA
#include <c10/cuda/CUDACachingAllocator.h>
#endif

namespace tbci::suite {

std::string why_unavailable(DeviceKind kind) {
  if (kind == DeviceKind::cpu) return {};
#ifdef TBCI_WITH_CUDA
  if (torch::cuda::is_available()) return {};
  return "no CUDA device was found on this machine";
#elif defined(TBCI_WITHOUT_CUDA_TOOLKIT)
  return "the worker was compiled without the CUDA Toolkit";
#else
  return "this LibTorch was built without CUDA";
#endif
}

torch::Device torch_device(DeviceKind kind) {
  return kind == DeviceKind::gpu ? torch::Device(torch::kCUDA, 0) : torch::Device(torch::kCPU);
}

void synchronize(DeviceKind kind) {
  if (kind == DeviceKind::gpu) torch::cuda::synchronize(0);
}

#ifdef TBCI_WITH_CUDA

// The types have moved between namespaces, so they are not named; their first entry is the sum over all pools.
void reset_gpu_peak() {
  c10::cuda::CUDACachingAllocator::resetPeakStats(0);
}

std::int64_t gpu_peak_bytes() {
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  return stats.allocated_bytes[0].peak;
}

std::int64_t gpu_reserved_peak_bytes() {
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  return stats.reserved_bytes[0].peak;
}

std::int64_t gpu_in_use_bytes() {
  const auto stats = c10::cuda::CUDACachingAllocator::getDeviceStats(0);
  return stats.allocated_bytes[0].current;
}

#else

void reset_gpu_peak() {}
std::int64_t gpu_peak_bytes() {
  return 0;
}
std::int64_t gpu_reserved_peak_bytes() {
  return 0;
}
std::int64_t gpu_in_use_bytes() {
  return 0;
}

#endif

}  // namespace tbci::suite
