// What one thread does while a timeline is recorded.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/record_function.h>

#include "suite/gpu/callers.hpp"

namespace tbci::suite {

// What the kernel has counted for this thread.
struct ThreadUse {
  std::chrono::nanoseconds cpu{};
  std::chrono::nanoseconds cpu_of_process{};  // of all its threads
  std::int64_t faults = 0;
  std::int64_t gave_up_cpu = 0;  // of its own will: to sleep, or to wait for something
};
ThreadUse use_of_this_thread();
// Whether the other threads of this process, as far as they have the same CPUs, can only run instead of this one.
bool one_cpu_for_this_thread();

// A call as it was noted: tensors as they lie, so that the call costs little. They are looked at afterwards.
struct RawCall {
  std::size_t name = 0;
  std::int64_t begin = 0;  // without the recorder's own time, so two events may be at one time
  std::int64_t end = -1;
  std::int64_t entered = 0, left = 0;  // by the clock: in which order things happened
  std::int64_t waited = 0;
  std::int64_t faults = 0;
  std::int64_t sequence = -1;
  std::size_t inputs_from = 0, inputs_to = 0;  // places in LaneRecord::raw
  std::size_t outputs_from = 0, outputs_to = 0;
};

// A moment by the clock, and without the recorder's own time.
struct LaneInstant {
  std::int64_t real = 0, own = 0;
};

struct LaneRecord {
  std::vector<std::string> names;
  std::vector<RawCall> calls;
  std::vector<LaneInstant> marks;  // an iteration's begin and end
  std::vector<std::int64_t> raw;   // a tensor: storage's address, type, flags, number of sizes, sizes
  std::int64_t outside_waited = 0;
  std::int64_t outside_faults = 0;
  bool cut_off = false;
};

// What LibTorch spends on a watched call, and what the recorder's events cost beside their own time: before a call is
// noted, and within it. The model's time does not have it.
struct UnseenTime {
  std::chrono::nanoseconds before{};
  std::chrono::nanoseconds within{};
};

// Written by its thread, while it is open; read between two iterations, when it is closed.
class TimelineLane {
 public:
  using Instant = std::chrono::steady_clock::time_point;
  enum RawFlag : std::int64_t { raw_written = 1, raw_on_gpu = 2, raw_sparse = 4 };

  // `callers`: hears of each call, by `number` in its upper half, if it is not null. `real_time`: keeps the recorder's
  // own time in.
  TimelineLane(std::uint64_t number, CallerTrace* callers, Instant origin, bool real_time)
      : number_(number), callers_(callers), origin_(origin), real_time_(real_time) {}

  void enter(const at::RecordFunction& function);
  void leave(const at::RecordFunction& function);
  // The node of the backward pass that was entered last begins its own work: only then its number is known.
  void number_node(std::int64_t sequence);
  // An iteration, on its thread: its time. Nothing is entered then.
  std::int64_t begin_iteration();
  std::int64_t end_iteration();

  void set_unseen(const UnseenTime& unseen) { unseen_ = unseen; }
  // Other threads of this process work as well: while they have this one's CPU, no other process has it.
  void set_beside_others() { beside_others_ = true; }

  // Between these its thread is heard. What has not ended by the end stays without one.
  void open();
  void close();

  // May hold this many calls more.
  void allow(std::size_t calls) { room_ = calls; }
  const LaneRecord& record() const { return record_; }
  // Forgets the calls, not the names.
  void clear();
  // Forgets those that have ended: one that has not begins now. Also while its thread is heard.
  void forget_ended();
  static std::uint64_t caller(std::uint64_t number, std::size_t call) { return (number << 40U) + call + 1; }
  std::uint64_t number() const { return number_; }

 private:
  struct Operator {
    std::size_t name;
    std::uint64_t written;  // a bit for each argument that the operator writes to
  };
  const Operator& operator_of(const at::RecordFunction& function);
  std::chrono::nanoseconds charge(Instant now);
  void resume(Instant since);
  std::int64_t elapsed(Instant now) const;  // by the clock
  std::int64_t time(Instant now) const;     // without the recorder's own time, unless real_time_
  void note(const c10::IValue& value, bool written);
  void note(const at::Tensor& tensor, bool written);

  std::uint64_t number_;
  std::mutex mutex_;
  bool open_ = true;
  const bool alone_on_cpu_ = one_cpu_for_this_thread();
  CallerTrace* callers_;
  Instant origin_;
  bool real_time_;
  std::size_t room_ = 0;
  LaneRecord record_;
  std::vector<std::size_t> inside_;
  std::chrono::nanoseconds own_{};
  UnseenTime unseen_;
  Instant last_{};       // the end of the last event
  Instant last_read_{};  // when the kernel was asked
  ThreadUse last_use_;
  std::atomic<bool> beside_others_{false};
  ThreadUse use_at_begin_;                  // of the iteration
  std::chrono::nanoseconds seen_others_{};  // since then: what other threads of this process had of the CPU
  std::unordered_map<const void*, Operator> by_address_;
  std::unordered_map<std::string, Operator> by_text_;
};

}  // namespace tbci::suite
