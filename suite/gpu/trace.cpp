#include "suite/gpu/trace.hpp"

#include <cstdio>
#include <exception>
#include <string>

// cuda.cmake defines this where it finds cupti.h.
#ifdef TBCI_WITH_CUPTI

#include <torch/cuda.h>

#include <cstdint>
#include <vector>

#include "suite/gpu/activities.hpp"

namespace tbci::suite {
namespace {

constexpr const char* no_split = "no split of the GPU's time";

std::optional<GpuSpan> trace_one(const std::function<void()>& iterate, Tracing& tracing) {
  torch::cuda::synchronize(0);
  const auto begin = tracing.now();
  iterate();
  torch::cuda::synchronize(0);
  const auto end = tracing.now();
  if (!begin || !end) return std::nullopt;
  return GpuSpan{*begin, *end};
}

GpuSplit mean_split(const std::vector<GpuRecord>& records, const std::vector<GpuSpan>& windows) {
  std::vector<GpuActivity> activities;
  for (const GpuRecord& record : records) activities.push_back(record.activity);
  GpuSplit sum;
  for (const GpuSpan& window : windows) {
    const GpuSplit one = split_of(activities, window);
    sum.active += one.active;
    sum.movement += one.movement;
    sum.idle += one.idle;
  }
  const auto count = static_cast<std::int64_t>(windows.size());
  return {sum.active / count, sum.movement / count, sum.idle / count};
}

std::optional<GpuSplit> trace(const std::function<void()>& iterate, int iterations) {
  Tracing tracing(Traced::work, no_split);
  if (!tracing.why_not().empty()) return std::nullopt;
  if (!trace_one(iterate, tracing)) return std::nullopt;  // the first one pays for CUPTI's initialisation
  std::vector<GpuSpan> windows;
  for (int i = 0; i < iterations; ++i) {
    const auto window = trace_one(iterate, tracing);
    if (!window) return std::nullopt;
    windows.push_back(*window);
  }
  const auto records = tracing.records();
  if (!records) return std::nullopt;
  return mean_split(records->work, windows);
}

}  // namespace

std::optional<GpuSplit> trace_gpu(const std::function<void()>& iterate, int iterations) {
  try {
    return trace(iterate, iterations);
  } catch (const std::exception& error) {
    const std::string message = error.what();
    std::fprintf(stderr, "tbci-worker: %s: an iteration failed while it was traced: %s\n", no_split,
                 message.substr(0, message.find('\n')).c_str());
    return std::nullopt;
  }
}

}  // namespace tbci::suite

#else

namespace tbci::suite {

std::optional<GpuSplit> trace_gpu(const std::function<void()>&, int) {
  std::fputs("tbci-worker: no split of the GPU's time: cupti.h was not found when the worker was built\n", stderr);
  return std::nullopt;
}

}  // namespace tbci::suite

#endif
