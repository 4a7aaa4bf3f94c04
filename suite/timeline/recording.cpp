#include <algorithm>
#include <atomic>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include <torch/torch.h>

#include <ATen/record_function.h>

#include "suite/device.hpp"
#include "suite/region.hpp"
#include "suite/timeline/communication.hpp"
#include "suite/timeline/lane.hpp"
#include "suite/timeline/timeline.hpp"
#include "suite/timeline/writing.hpp"

namespace tbci::suite {
namespace {

using Steady = std::chrono::steady_clock;

[[noreturn]] void refuse_timeline(const CallerTrace* callers) {
  throw Unsupported("a timeline of a GPU needs CUPTI: " +
                    (callers != nullptr ? callers->why_not() : std::string("CUDA is not loaded")));
}

// One recording with the lanes of all its threads.
class Recorder {
 public:
  explicit Recorder(bool on_gpu) : on_gpu_(on_gpu) {
    static std::atomic<std::uint64_t> recorders{0};
    number_ = ++recorders;
  }
  std::uint64_t number() const { return number_; }
  Steady::time_point origin() const { return origin_; }
  std::vector<std::shared_ptr<TimelineLane>>& lanes() { return lanes_; }

  std::shared_ptr<TimelineLane> new_lane() {
    const std::lock_guard<std::mutex> lock(mutex_);
    lanes_.push_back(std::make_shared<TimelineLane>(lanes_.size(), callers_, origin_, on_gpu_));
    lanes_.back()->allow(room_);
    lanes_.back()->set_unseen(unseen_);
    for (const auto& lane : lanes_) {
      if (lanes_.size() > 1) lane->set_beside_others();
    }
    return lanes_.back();
  }
  // Not while the workload runs. Lanes take the callers when they are made, so one trace serves the whole recording.
  void trace(CallerTrace* callers) { callers_ = callers; }
  // The GPU's, so far.
  void forget_work() {
    std::vector<CalledWork> none;
    if (callers_ != nullptr && !callers_->take(none)) refuse_timeline(callers_);
  }
  // What other threads did before this iteration.
  void forget_ended_beside() {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::for_each(std::next(lanes_.begin()), lanes_.end(), [](const auto& lane) { lane->forget_ended(); });
  }
  void set_unseen(const UnseenTime& unseen) {
    unseen_ = unseen;
    for (const auto& lane : lanes_) lane->set_unseen(unseen);
  }
  void allow(std::size_t calls) {
    room_ = calls;
    for (const auto& lane : lanes_) lane->allow(calls);
  }

 private:
  std::uint64_t number_;
  bool on_gpu_;
  Steady::time_point origin_ = Steady::now();
  CallerTrace* callers_ = nullptr;
  std::size_t room_ = 0;
  UnseenTime unseen_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<TimelineLane>> lanes_;  // the thread that iterates has the first
};

// The callbacks of RecordFunction are plain functions, so they find the recorder through this global. A thread may call
// one after the recorder's end: it asks for the number alone, and keeps its lane.
struct RunningRecorder {
  std::atomic<std::uint64_t> number{0};  // 0: none
  std::mutex mutex;
  Recorder* recorder = nullptr;  // under the mutex

  void set(Recorder* now) {
    const std::lock_guard<std::mutex> lock(mutex);
    recorder = now;
    number.store(now == nullptr ? 0 : now->number(), std::memory_order_release);
  }
  std::shared_ptr<TimelineLane> new_lane(std::uint64_t wanted) {
    const std::lock_guard<std::mutex> lock(mutex);
    return recorder == nullptr || recorder->number() != wanted ? nullptr : recorder->new_lane();
  }
};

RunningRecorder& running_recorder() {
  static RunningRecorder running;
  return running;
}

TimelineLane* lane_of_this_thread() {
  struct Seat {
    std::uint64_t recorder = 0;
    std::shared_ptr<TimelineLane> lane;
  };
  thread_local Seat seat;
  const std::uint64_t number = running_recorder().number.load(std::memory_order_acquire);
  if (number == 0) return nullptr;
  if (seat.recorder != number) {
    auto lane = running_recorder().new_lane(number);
    if (lane == nullptr) return nullptr;
    seat = {number, std::move(lane)};
  }
  return seat.lane.get();
}

// Operators and nodes; of what names itself, a model's regions and communication alone.
bool is_recorded(const at::RecordFunction& function) {
  return function.scope() != at::RecordScope::USER_SCOPE || is_region(function) || is_communication(function.name());
}

std::unique_ptr<at::ObserverContext> on_call(const at::RecordFunction& function) {
  if (!is_recorded(function)) return nullptr;
  if (TimelineLane* lane = lane_of_this_thread()) lane->enter(function);
  return nullptr;
}

// What the engine does around a node of the backward pass is the call; the node itself is within it.
std::unique_ptr<at::ObserverContext> on_node(const at::RecordFunction& function) {
  if (TimelineLane* lane = lane_of_this_thread()) lane->number_node(function.seqNr());
  return nullptr;
}

void on_return(const at::RecordFunction& function, at::ObserverContext*) {
  if (!is_recorded(function)) return;
  if (TimelineLane* lane = lane_of_this_thread()) lane->leave(function);
}

// Calls of this thread, and of those that work for it with its thread-local state, as autograd's do, are recorded while
// this object lives. What others have begun by its end is cut off there.
class RecordedStretch {
 public:
  explicit RecordedStretch(Recorder& recorder)
      : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(&on_call, &on_return)
                                               .scopes({at::RecordScope::FUNCTION, at::RecordScope::USER_SCOPE})
                                               .needsInputs(true)
                                               .needsOutputs(true))),
        nodes_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(&on_node).scopes({at::RecordScope::BACKWARD_FUNCTION}))),
        recorder_(recorder) {
    for (const auto& lane : recorder.lanes()) lane->open();
    running_recorder().set(&recorder);
  }
  ~RecordedStretch() {
    running_recorder().set(nullptr);
    for (const auto& lane : recorder_.lanes()) lane->close();
    at::removeCallback(handle_);
    at::removeCallback(nodes_);
  }
  RecordedStretch(const RecordedStretch&) = delete;
  RecordedStretch& operator=(const RecordedStretch&) = delete;

 private:
  at::CallbackHandle handle_, nodes_;
  Recorder& recorder_;
};

// What CUPTI recorded since the last time, in the recorder's time.
void add_work(CallerTrace& callers, const Recorder& recorder, const std::map<std::uint64_t, std::size_t>& first_calls,
              Timeline& timeline) {
  const auto gpu_now = callers.now();
  const std::int64_t now = std::chrono::nanoseconds(Steady::now() - recorder.origin()).count();
  std::vector<CalledWork> work;
  if (!gpu_now || !callers.take(work)) refuse_timeline(&callers);
  for (const CalledWork& each : work) {
    std::int64_t call = -1;
    const auto lane = first_calls.find(each.caller >> 40U);
    const std::uint64_t in_lane = each.caller & ((std::uint64_t{1} << 40U) - 1);
    if (each.caller != 0 && lane != first_calls.end()) call = static_cast<std::int64_t>(lane->second + in_lane) - 1;
    timeline.work.push_back({each.movement, each.begin - *gpu_now + now, each.end - each.begin, call, each.stream});
  }
}

std::int64_t nanoseconds_of_one(Workload& workload, DeviceKind device) {
  synchronize(device);
  const auto begin = Steady::now();
  workload.iterate();
  synchronize(device);
  return std::chrono::nanoseconds(Steady::now() - begin).count();
}

TimelineIteration record_one(Workload& workload, DeviceKind device, Recorder& recorder) {
  TimelineIteration iteration;
  iteration.unwatched = nanoseconds_of_one(workload, device);
  synchronize(device);
  const RecordedStretch recorded(recorder);
  TimelineLane& own = *lane_of_this_thread();
  // What another thread does for the iteration may have begun in the one before, and is seen if that was recorded too.
  workload.iterate();
  synchronize(device);
  recorder.forget_work();
  own.clear();
  const auto begin = Steady::now();
  iteration.begin = own.begin_iteration();
  recorder.forget_ended_beside();
  workload.iterate();
  synchronize(device);
  iteration.length = own.end_iteration() - iteration.begin;
  iteration.watched = std::chrono::nanoseconds(Steady::now() - begin).count();
  iteration.waited = own.record().outside_waited;
  iteration.faults = own.record().outside_faults;
  return iteration;
}

std::size_t calls_of(Recorder& recorder) {
  std::size_t sum = 0;
  for (const auto& lane : recorder.lanes()) sum += lane->record().calls.size();
  return sum;
}

bool any_cut_off(Recorder& recorder) {
  return std::any_of(recorder.lanes().begin(), recorder.lanes().end(),
                     [](const auto& lane) { return lane->record().cut_off; });
}

void clear(Recorder& recorder) {
  for (const auto& lane : recorder.lanes()) lane->clear();
}

std::vector<std::int64_t> faults_of_calls(Recorder& recorder) {
  std::vector<std::int64_t> faults;
  for (const auto& lane : recorder.lanes()) {
    for (const RawCall& call : lane->record().calls) faults.push_back(call.faults);
  }
  return faults;
}

// LibTorch copies the inputs of a call before its callbacks run: by how much an iteration of tiny calls is longer when
// it is recorded, though the recorder's own time is out.
class TinyCalls final : public Workload {
 public:
  static constexpr int calls = 1000;
  void iterate() override {
    for (int i = 0; i < calls; ++i) at::add(one_, one_);
  }
  Tensors results() const override { return {}; }
  Tensors parameters() const override { return {}; }

 private:
  torch::Tensor one_ = torch::ones({1});
};

UnseenTime unseen_of_a_call(Recorder& recorder) {
  const torch::NoGradGuard no_gradients;
  TinyCalls tiny;
  auto between = std::numeric_limits<std::int64_t>::max(), within = between, unwatched = between;
  recorder.allow(TinyCalls::calls * 2);
  for (int i = 0; i < 7; ++i) {
    const TimelineIteration one = record_one(tiny, DeviceKind::cpu, recorder);
    std::int64_t in_calls = 0;
    for (const auto& lane : recorder.lanes()) {
      for (const RawCall& call : lane->record().calls) in_calls += call.end - call.begin;
    }
    clear(recorder);
    between = std::min(between, one.length - in_calls);
    within = std::min(within, in_calls);
    unwatched = std::min(unwatched, one.unwatched);
  }
  // All that such an iteration does is its calls.
  const std::int64_t more = std::max<std::int64_t>(within - unwatched, 0);
  return {std::chrono::nanoseconds(std::min(between, between + within - unwatched) / TinyCalls::calls),
          std::chrono::nanoseconds(more / TinyCalls::calls)};
}

}  // namespace

Timeline record_timeline(Workload& workload, const IterationPlan& plan, std::size_t most_calls) {
  const bool on_gpu = plan.device == DeviceKind::gpu;
  const std::unique_ptr<CallerTrace> callers = on_gpu ? trace_gpu_callers() : nullptr;
  if (on_gpu && (callers == nullptr || !callers->why_not().empty())) refuse_timeline(callers.get());
  Timeline timeline;
  Recorder recorder(on_gpu);
  recorder.trace(callers.get());
  TimelineWriting writing(timeline);
  if (!on_gpu) recorder.set_unseen(unseen_of_a_call(recorder));
  // The first one is thrown away: it pays for the names, for the room of the records and for CUPTI's begin.
  recorder.allow(most_calls);
  record_one(workload, plan.device, recorder);
  clear(recorder);
  recorder.forget_work();
  FaultPrice price;
  for (int i = 0; i < plan.iterations; ++i) {
    recorder.allow(most_calls - timeline.calls.size());
    const TimelineIteration iteration = record_one(workload, plan.device, recorder);
    const bool cut_off = any_cut_off(recorder) || timeline.calls.size() + calls_of(recorder) > most_calls;
    if (cut_off && i > 0) break;
    const auto first_calls = writing.add(recorder.lanes(), iteration.begin + iteration.length);
    if (callers) add_work(*callers, recorder, first_calls, timeline);
    timeline.iterations.push_back(iteration);
    timeline.cut_off = cut_off;
    price.measure(pages_at_once(faults_of_calls(recorder)));
    clear(recorder);
    if (cut_off) break;
  }
  timeline.speed.writing = price.of_writing();
  timeline.speed.computing = price.of_computing();
  for (const torch::Tensor& input : workload.inputs()) {
    if (input.defined() && input.has_storage()) timeline.inputs.push_back(writing.storage_of(input));
  }
  return timeline;
}

}  // namespace tbci::suite
