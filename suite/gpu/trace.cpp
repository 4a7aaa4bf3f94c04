#include "suite/gpu/trace.hpp"

#include <cstdio>
#include <exception>
#include <string>

// cuda.cmake defines this where it finds cupti.h.
#ifdef TBCI_WITH_CUPTI

#include <torch/cuda.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "suite/gpu/cupti.hpp"

namespace tbci::suite {
namespace {

constexpr int traced_iterations = 5;

using Buffer = std::array<std::uint64_t, (1 << 20) / sizeof(std::uint64_t)>;  // CUPTI requires an alignment of 8 bytes

// The records from CUPTI's threads.
struct Collected {
  Cupti cupti;
  std::mutex mutex;
  std::vector<std::unique_ptr<Buffer>> buffers;
  std::vector<GpuActivity> activities;
  bool without_times = false;
};

// CUPTI's callbacks are plain functions that take no argument of ours, and it may write into a buffer until the process
// ends. So this object is global, and nobody destroys it.
Collected& collected() {
  static Collected& all = *std::make_unique<Collected>().release();
  return all;
}

void say_none(const std::string& why) {
  std::fprintf(stderr, "tbci-worker: no split of the GPU's time: %s\n", why.c_str());
}

bool good(CUptiResult result, const char* doing) {
  if (result == CUPTI_SUCCESS) return true;
  const char* reason = nullptr;
  if (collected().cupti.get_result_string(result, &reason) != CUPTI_SUCCESS) reason = "unknown reason";
  say_none(std::string(doing) + ": " + reason);
  return false;
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

// CUPTI writes 0 where it could not read the clock.
template <class Record>
void add(const Record& record, GpuActivity::Kind kind, Collected& all) {
  all.without_times = all.without_times || record.start == 0 || record.end == 0;
  all.activities.push_back({kind, {static_cast<std::int64_t>(record.start), static_cast<std::int64_t>(record.end)}});
}

// Later versions of CUPTI write longer records that begin as these do, so the oldest names fit all of them.
void take(const CUpti_Activity& record, Collected& all) {
  if (record.kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record.kind == CUPTI_ACTIVITY_KIND_KERNEL) {
    add(reinterpret_cast<const CUpti_ActivityKernel4&>(record), GpuActivity::Kind::work, all);
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMCPY) {
    const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy&>(record);
    add(copy, kind_of_copy(copy.copyKind), all);
  } else if (record.kind == CUPTI_ACTIVITY_KIND_MEMSET) {
    add(reinterpret_cast<const CUpti_ActivityMemset&>(record), GpuActivity::Kind::work, all);
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
  while (filled > 0 && all.cupti.get_next_record(buffer, filled, &record) == CUPTI_SUCCESS) take(*record, all);
}

// CUPTI traces while this object lives.
class Tracing {
 public:
  Tracing()
      : begun_(good(cupti_.register_callbacks(&give_buffer, &take_buffer), "CUPTI takes no buffers") &&
               good(cupti_.enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), "kernels are not traced") &&
               good(cupti_.enable(CUPTI_ACTIVITY_KIND_MEMCPY), "copies are not traced") &&
               good(cupti_.enable(CUPTI_ACTIVITY_KIND_MEMSET), "memsets are not traced")) {}
  ~Tracing() {
    for (const CUpti_ActivityKind kind :
         {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET})
      cupti_.disable(kind);
  }
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  bool begun() const { return begun_; }

  // Waits for every record of the work so far. False if some were lost.
  bool flush() const {
    if (!good(cupti_.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "its records cannot be fetched")) return false;
    std::size_t dropped = 0;
    if (!good(cupti_.get_dropped_records(nullptr, 0, &dropped), "its losses cannot be counted")) return false;
    if (dropped == 0) return true;
    say_none("CUPTI lost " + std::to_string(dropped) + " records");
    return false;
  }

 private:
  const Cupti& cupti_ = collected().cupti;
  bool begun_;
};

std::optional<std::int64_t> now() {
  std::uint64_t nanoseconds = 0;  // of the records' clock
  if (!good(collected().cupti.get_timestamp(&nanoseconds), "CUPTI has no clock")) return std::nullopt;
  return static_cast<std::int64_t>(nanoseconds);
}

std::optional<GpuSpan> trace_one(const std::function<void()>& iterate) {
  torch::cuda::synchronize(0);
  const auto begin = now();
  iterate();
  torch::cuda::synchronize(0);
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
  const auto cupti = loaded_cupti();
  if (!cupti) {
    say_none("LibTorch has loaded no CUPTI");
    return std::nullopt;
  }
  Collected& all = collected();
  all.cupti = *cupti;
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
  const std::lock_guard lock(all.mutex);
  if (all.without_times) {
    say_none("CUPTI has records without times");
    return std::nullopt;
  }
  return mean_split(all.activities, windows);
}

}  // namespace

std::optional<GpuSplit> trace_gpu(const std::function<void()>& iterate) {
  try {
    return trace(iterate);
  } catch (const std::exception& error) {
    const std::string message = error.what();
    say_none("an iteration failed while it was traced: " + message.substr(0, message.find('\n')));
    return std::nullopt;
  }
}

}  // namespace tbci::suite

#else

namespace tbci::suite {

std::optional<GpuSplit> trace_gpu(const std::function<void()>&) {
  std::fputs("tbci-worker: no split of the GPU's time: cupti.h was not found when the worker was built\n", stderr);
  return std::nullopt;
}

}  // namespace tbci::suite

#endif
