#ifdef TBCI_WITH_CUPTI

#include "suite/gpu/activities.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <mutex>
#include <utility>

#include "suite/gpu/cupti.hpp"

namespace tbci::suite {
namespace {

using Buffer = std::array<std::uint64_t, (1 << 20) / sizeof(std::uint64_t)>;  // CUPTI requires an alignment of 8 bytes

// The records from CUPTI's threads.
struct Collected {
  Cupti cupti;
  std::mutex mutex;
  std::vector<std::unique_ptr<Buffer>> buffers;  // that CUPTI writes into
  GpuRecords records;
  bool without_times = false;
};

// CUPTI's callbacks are plain functions that take no argument of ours, and it may write into a buffer until the process
// ends. So this object is global, and nobody destroys it.
Collected& collected() {
  static Collected& all = *std::make_unique<Collected>().release();
  return all;
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
  const GpuSpan span{static_cast<std::int64_t>(record.start), static_cast<std::int64_t>(record.end)};
  all.records.work.push_back({{kind, span}, record.correlationId, record.streamId});
}

// Later versions of CUPTI write longer records that begin as these do, so the oldest names fit all of them.
void take(const CUpti_Activity& record, Collected& all) {
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    case CUPTI_ACTIVITY_KIND_KERNEL:
      return add(reinterpret_cast<const CUpti_ActivityKernel4&>(record), GpuActivity::Kind::work, all);
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = reinterpret_cast<const CUpti_ActivityMemcpy&>(record);
      return add(copy, kind_of_copy(copy.copyKind), all);
    }
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return add(reinterpret_cast<const CUpti_ActivityMemset&>(record), GpuActivity::Kind::work, all);
    case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION: {
      const auto& caller = reinterpret_cast<const CUpti_ActivityExternalCorrelation&>(record);
      if (caller.externalKind == CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0)
        all.records.callers[caller.correlationId] = caller.externalId;
      return;
    }
    default:
      return;
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
  const auto is_this = [&](const std::unique_ptr<Buffer>& each) {
    return reinterpret_cast<std::uint8_t*>(each->data()) == buffer;
  };
  all.buffers.erase(std::remove_if(all.buffers.begin(), all.buffers.end(), is_this), all.buffers.end());
}

std::vector<CUpti_ActivityKind> kinds_of(Traced what) {
  std::vector<CUpti_ActivityKind> kinds{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                                        CUPTI_ACTIVITY_KIND_MEMSET};
  if (what == Traced::work_and_callers) {
    // A caller is recorded with the record of its call, so calls are recorded too.
    kinds.insert(kinds.begin(),
                 {CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER});
  }
  return kinds;
}

}  // namespace

Tracing::Tracing(Traced what, std::string purpose) : purpose_(std::move(purpose)) {
  const auto cupti = loaded_cupti();
  if (!cupti) {
    why_not_ = "LibTorch has loaded no CUPTI";
    std::fprintf(stderr, "tbci-worker: %s: %s\n", purpose_.c_str(), why_not_.c_str());
    return;
  }
  Collected& all = collected();
  {
    const std::lock_guard lock(all.mutex);
    all.cupti = *cupti;
    all.records = {};
    all.without_times = false;
  }
  if (!good(cupti->register_callbacks(&give_buffer, &take_buffer), "CUPTI takes no buffers")) return;
  for (const CUpti_ActivityKind kind : kinds_of(what)) {
    if (!good(cupti->enable(kind), "CUPTI does not trace")) return;
    kinds_.push_back(kind);
  }
}

Tracing::~Tracing() {
  for (const int kind : kinds_) collected().cupti.disable(static_cast<CUpti_ActivityKind>(kind));
}

bool Tracing::good(int result, const char* doing) {
  if (result == CUPTI_SUCCESS) return true;
  const char* reason = nullptr;
  if (collected().cupti.get_result_string(static_cast<CUptiResult>(result), &reason) != CUPTI_SUCCESS)
    reason = "unknown reason";
  why_not_ = std::string(doing) + ": " + reason;
  std::fprintf(stderr, "tbci-worker: %s: %s\n", purpose_.c_str(), why_not_.c_str());
  return false;
}

std::optional<std::int64_t> Tracing::now() {
  std::uint64_t nanoseconds = 0;
  if (!good(collected().cupti.get_timestamp(&nanoseconds), "CUPTI has no clock")) return std::nullopt;
  return static_cast<std::int64_t>(nanoseconds);
}

std::optional<GpuRecords> Tracing::records() {
  Collected& all = collected();
  if (!good(all.cupti.flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), "its records cannot be fetched"))
    return std::nullopt;
  std::size_t dropped = 0;
  if (!good(all.cupti.get_dropped_records(nullptr, 0, &dropped), "its losses cannot be counted")) return std::nullopt;
  const std::lock_guard lock(all.mutex);
  if (dropped > 0) why_not_ = "CUPTI lost " + std::to_string(dropped) + " records";
  if (all.without_times) why_not_ = "CUPTI has records without times";
  if (why_not_.empty()) return std::exchange(all.records, {});
  std::fprintf(stderr, "tbci-worker: %s: %s\n", purpose_.c_str(), why_not_.c_str());
  return std::nullopt;
}

void Tracing::enter(std::uint64_t who) {
  collected().cupti.push_caller(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, who);
}

void Tracing::leave() {
  std::uint64_t who = 0;
  collected().cupti.pop_caller(CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0, &who);
}

}  // namespace tbci::suite

#endif
