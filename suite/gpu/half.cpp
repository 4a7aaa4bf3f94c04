#include "suite/gpu/half.hpp"

#include <c10/cuda/CUDACachingAllocator.h>
#include <cuda_runtime_api.h>
#include <unistd.h>

#include <cstdlib>

#include "suite/gpu/trace.hpp"

namespace tbci::suite {
namespace {

// A driver may be installed where there is no GPU, and a user may hide the GPUs from the worker. One that tbci was told
// to measure on (`[measure] gpu`) must be there.
bool should_list_none() {
  if (std::getenv("TBCI_GPU") != nullptr) return false;
  return std::getenv("CUDA_VISIBLE_DEVICES") != nullptr || access("/dev/nvidia0", F_OK) != 0;
}

GpuAbsence look() {
  int devices = 0;
  const cudaError_t answer = cudaGetDeviceCount(&devices);
  if (answer == cudaSuccess && devices > 0) return {};
  const std::string words = answer == cudaSuccess ? "its driver lists none" : cudaGetErrorString(answer);
  const bool none = answer == cudaSuccess || answer == cudaErrorNoDevice;
  return {"CUDA finds no GPU: " + words, !(none && should_list_none())};
}

int compute_capability() {
  int major = 0;
  return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) == cudaSuccess ? major : 0;
}

void reset_peak() {
  c10::cuda::CUDACachingAllocator::resetPeakStats(0);
}

// The types have moved between namespaces, so they are not named; their first entry is the sum over all pools.
std::int64_t peak_bytes() {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(0).allocated_bytes[0].peak;
}

std::int64_t reserved_peak_bytes() {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(0).reserved_bytes[0].peak;
}

std::int64_t in_use_bytes() {
  return c10::cuda::CUDACachingAllocator::getDeviceStats(0).allocated_bytes[0].current;
}

constexpr GpuHalf half = {look,         compute_capability, reset_peak,    peak_bytes,    reserved_peak_bytes,
                          in_use_bytes, trace_gpu,          trace_callers, read_gpu_state};

}  // namespace
}  // namespace tbci::suite

extern "C" const tbci::suite::GpuHalf* tbci_gpu_half();
extern "C" const tbci::suite::GpuHalf* tbci_gpu_half() {
  return &tbci::suite::half;
}
