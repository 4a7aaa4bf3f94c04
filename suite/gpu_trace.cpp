#include "suite/gpu_trace.hpp"

// cupti.cmake defines this if it finds cupti.h and libcupti next to a LibTorch with CUDA.
#ifdef TBCI_WITH_CUPTI

#include <cupti.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "suite/device.hpp"

namespace tbci::suite {
namespace {

constexpr int traced_iterations = 5;

using Buffer = std::array<std::uint64_t, (1 << 20) / sizeof(std::uint64_t)>;  // CUPTI requires an alignment of 8 bytes

// The records from CUPTI's threads. Its callbacks are plain functions that take no argument of ours, and it may keep a
// buffer until the process ends. So this object is global and never destroyed before CUPTI.
struct Collected {
  std::mutex mutex;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<GpuActivity> activities;
};

Collected& collected() {
  static Collected all;
  return all;
}

bool good(CUptiResult result, const char* doing) {
  if (result == CUPTI_SUCCESS) return true;
  const char* reason = nullptr;
  if (cuptiGetResultString(result, &reason) != CUPTI_SUCCESS) reason = "unknown reason";
  std::fprintf(stderr, "tbci-worker: no split of the GPU's time: %s: %s\n", doing, reason);
  return false;
}

GpuActivity activity(GpuActivity::Kind kind, std::uint64_t begin, std::uint64_t end) {
  return {kind, {static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end)}};
}

GpuActivity::Kind kind_of_copy(std::uint8_t kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH:
      return GpuActivity::Kind::movement;
    default:
      return GpuActivity::Kind::work;
  }
}

// Later versions of CUPTI write longer records that begin as these do, so the oldest names fit all of them.
void take(const CUpti_Activity& record, std::vector<GpuActivity>& into) {
  if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record.kind == CUPTI_ACTIVITY_KIND_KERNEL) {
    const auto& kernel = reinterpret_cast<const CUpti_ActivityKernel4&>(record);
    into.push_back(activity(GpuActivity::Kind::work, kernel.start, kernel.end));
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy&>(record);
    into.push_back(activity(kind_of_copy(copy.copyKind), copy.start, copy.end));
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    const auto& fill = reinterpret_cast<const CUpti_ActivityMemset&>(record);
    into.push_back(activity(GpuActivity::Kind::work, fill.start, fill.end));
  }
}

void CUPTIAPI give_buffer(std::uint8_t** buffer, std::size_t* size, std::size_t* most_records) {
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  all.buffers.push_back(std::make_unique<Buffer>());
  *buffer = reinterpret_cast<std::uint8_t*>(all.buffers.back()->data());
  *size = sizeof(Buffer);
  *most_records = 0;  // as many as fit
}

void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t filled) {
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  CUpti_Activity* record = nullptr;
  while (filled > 0 && cuptiActivityGetNextRecord(buffer, filled, &record) == CUPTI_SUCCESS)
    take(*record, all.activities);
}

// CUPTI traces while this object lives.
class Tracing {
 public:
  Tracing()
      : begun_(good(cuptiActivityRegisterCallbacks(&give_buffer, &take_buffer), "CUPTI takes no buffers") &&
               good(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "kernels are not traced") &&
               good(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMCPY), "copies are not traced") &&
               good(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MEMSET), "memsets are not traced")) {}
  ~Tracing() {
    for (const CUpti_ActivityKind kind :
         {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
      cuptiActivityDisable(kind);
  }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  bool begun() const { return begun_; }

  // Waits for every record of the work so far. False if some were lost.
  bool flush() const {
    if (!good(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "its records cannot be fetched")) return false;
    std::size_t dropped = 0;
    if (!good(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), "its losses cannot be counted")) return false;
    if (dropped == 0) return true;
    std::fprintf(stderr, "tbci-worker: no split of the GPU's time: CUPTI lost %zu records\n", dropped);
    return false;
  }

 private:
  bool begun_;
};

std::optional<std::int64_t> now() {
  std::uint64_t nanoseconds = 0;  // of the records' clock
  if (!good(cuptiGetTimestamp(&nanoseconds), "CUPTI has no clock")) return std::nullopt;
  return static_cast<std::int64_t>(nanoseconds);
}

std::optional<GpuSpan> trace_one(const std::function<void()>& iterate) {
  synchronize(DeviceKind::gpu);
  const auto begin = now();
  iterate();
  synchronize(DeviceKind::gpu);
  const auto end = now();
  if (!begin || !end) return std::nullopt;
  return GpuSpan{*begin, *end};
}

GpuSplit mean_split(const std::vector<GpuActivity>& activities, const std::vector<GpuSpan>& windows) {
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

std::optional<GpuSplit> trace(const std::function<void()>& iterate) {
  const Tracing tracing;
  if (!tracing.begun()) return std::nullopt;
  if (!trace_one(iterate)) return std::nullopt;  // the first one pays for CUPTI's initialisation
  std::vector<GpuSpan> windows;
  for (int i = 0; i < traced_iterations; ++i) {
    const auto window = trace_one(iterate);
    if (!window) return std::nullopt;
    windows.push_back(*window);
  }
  if (!tracing.flush()) return std::nullopt;
  Collected& all = collected();
  const std::lock_guard lock(all.mutex);
  return mean_split(all.activities, windows);
}

}  // namespace

std::optional<GpuSplit> trace_gpu(const std::function<void()>& iterate) {
  try {
    return trace(iterate);
  } catch (const std::exception& error) {
    const std::string message = error.what();
    std::fprintf(stderr, "tbci-worker: no split of the GPU's time: an iteration failed while it was traced: %s\n",
                 message.substr(0, message.find('\n')).c_str());
    return std::nullopt;
  }
}

}  // namespace tbci::suite

#else

namespace tbci::suite {

std::optional<GpuSplit> trace_gpu(const std::function<void()>&) {
  return std::nullopt;
}

}  // namespace tbci::suite

#endif
