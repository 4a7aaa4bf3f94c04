#include "suite/profile.hpp"

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

#include <torch/torch.h>

#include <ATen/record_function.h>

#include "suite/device.hpp"
#include "suite/operators.hpp"

namespace tbci::suite {
namespace {

// The events of one thread. Written by that thread; read between two iterations, when the workload does nothing.
class Lane {
 public:
  // `callers`: notes who launches the GPU's work, if it is not null.
  Lane(std::uint64_t number, const std::unique_ptr<CallerTrace>& callers) : number_(number), callers_(callers) {}

  void enter(const at::RecordFunction& function, Instant now) {
    const std::size_t who = number_of(function);
    times_.enter(who, now);
    if (callers_) callers_->enter(caller(who));
  }
  void leave(Instant now) {
    if (callers_) callers_->leave();
    times_.leave(now);
  }
  void resume(Instant now) { times_.resume(now); }

  void move_into(ProfiledIteration& iteration) {
    const std::vector<Tally> tallies = times_.take();
    for (std::size_t who = 0; who < tallies.size(); ++who) {
      if (tallies[who].calls == 0 && tallies[who].self == Span{}) continue;
      Tally& sum = iteration.operators[names_[who]];
      sum.calls += tallies[who].calls;
      sum.self += tallies[who].self;
    }
    iteration.own += times_.take_own();
  }

  // The same with the time of the GPU's work in place of the host's.
  void move_into(ProfiledIteration& iteration, const TimesByCaller& on_gpu) {
    const std::vector<Tally> tallies = times_.take();
    for (std::size_t who = 0; who < tallies.size(); ++who) {
      const auto time = on_gpu.find(caller(who));
      if (tallies[who].calls == 0 && time == on_gpu.end()) continue;
      Tally& sum = iteration.operators[names_[who]];
      sum.calls += tallies[who].calls;
      if (time != on_gpu.end()) sum.self += std::chrono::nanoseconds(time->second);
    }
    times_.take_own();
  }

 private:
  // Of all threads; never 0.
  std::uint64_t caller(std::size_t who) const { return (number_ << 32U) + who + 1; }

  std::size_t number_of(const at::RecordFunction& function) {
    // An operator's name is in its schema and never moves, so its address identifies it. Any other name is in the event
    // and has to be read. The two addresses cannot be equal while both exist.
    const auto known = by_address_.find(function.name());
    if (known != by_address_.end()) return known->second;
    const auto schema = function.operator_name();
    if (!schema) return number_of_text(function.name());
    return by_address_[function.name()] = new_number(python_name(*schema));
  }

  std::size_t number_of_text(const char* text) {
    const auto known = by_text_.find(text);
    if (known != by_text_.end()) return known->second;
    return by_text_[text] = new_number(node_name(text));
  }

  std::size_t new_number(std::string name) {
    names_.push_back(std::move(name));
    return names_.size() - 1;
  }

  std::uint64_t number_;
  const std::unique_ptr<CallerTrace>& callers_;
  SelfTimes times_;
  std::vector<std::string> names_;
  std::unordered_map<const void*, std::size_t> by_address_;
  std::unordered_map<std::string, std::size_t> by_text_;
};

// One profile with the lanes of all its threads.
class Session {
 public:
  Session() {
    static std::atomic<std::uint64_t> sessions{0};
    number_ = ++sessions;
  }
  std::uint64_t number() const { return number_; }

  std::shared_ptr<Lane> new_lane() {
    const std::lock_guard<std::mutex> lock(mutex_);
    lanes_.push_back(std::make_shared<Lane>(lanes_.size(), callers_));
    return lanes_.back();
  }

  template <class... OnGpu>
  void move_into(ProfiledIteration& iteration, const OnGpu&... on_gpu) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& lane : lanes_) lane->move_into(iteration, on_gpu...);
  }

  // From now on the lanes tell it who enters; null: none. Not while the workload runs.
  CallerTrace* trace(std::unique_ptr<CallerTrace> callers) {
    callers_ = std::move(callers);
    return callers_.get();
  }

 private:
  std::uint64_t number_;
  std::unique_ptr<CallerTrace> callers_;
  std::mutex mutex_;
  std::vector<std::shared_ptr<Lane>> lanes_;
};

// The callbacks of RecordFunction are plain functions, so they find their session through this global.
std::atomic<Session*>& running_session() {
  static std::atomic<Session*> session{nullptr};
  return session;
}

// This thread's lane in the running session; null if none runs.
Lane* own_lane() {
  struct Seat {
    std::uint64_t session = 0;
    std::shared_ptr<Lane> lane;
  };
  thread_local Seat seat;
  Session* session = running_session().load(std::memory_order_acquire);
  if (session == nullptr) return nullptr;
  if (seat.session != session->number()) seat = {session->number(), session->new_lane()};
  return seat.lane.get();
}

std::unique_ptr<at::ObserverContext> on_enter(const at::RecordFunction& function) {
  const Instant now = std::chrono::steady_clock::now();
  if (Lane* lane = own_lane()) {
    lane->enter(function, now);
    lane->resume(std::chrono::steady_clock::now());
  }
  return nullptr;
}

void on_leave(const at::RecordFunction&, at::ObserverContext*) {
  const Instant now = std::chrono::steady_clock::now();
  if (Lane* lane = own_lane()) {
    lane->leave(now);
    lane->resume(std::chrono::steady_clock::now());
  }
}

// Operators of this thread are watched while this object lives. LibTorch copies a thread's callbacks to the threads
// that autograd uses for it, but not to those among which an operator divides its work: their calls are part of that
// operator's time and would count twice.
class WatchedStretch {
 public:
  explicit WatchedStretch(Session& session)
      : handle_(at::addThreadLocalCallback(
            at::RecordFunctionCallback(&on_enter, &on_leave).scopes({at::RecordScope::FUNCTION}))) {
    running_session().store(&session, std::memory_order_release);
  }
  ~WatchedStretch() {
    running_session().store(nullptr, std::memory_order_release);
    at::removeCallback(handle_);
  }
  WatchedStretch(const WatchedStretch&) = delete;
  WatchedStretch& operator=(const WatchedStretch&) = delete;

 private:
  at::CallbackHandle handle_;
};

Span time_of_one(Workload& workload, DeviceKind device) {
  synchronize(device);
  const Instant begin = std::chrono::steady_clock::now();
  workload.iterate();
  synchronize(device);
  return std::chrono::steady_clock::now() - begin;
}

[[noreturn]] void refuse(const CallerTrace* callers) {
  throw Unsupported("a profile of a GPU's operators needs CUPTI: " +
                    (callers != nullptr ? callers->why_not() : std::string("CUDA is not loaded")));
}

// Tracing slows the host down and not the kernels, so the iteration is as long as the unwatched one.
void profile_on_gpu(Workload& workload, Session& session, ProfiledIteration& iteration) {
  CallerTrace* callers = session.trace(trace_gpu_callers());
  if (callers == nullptr || !callers->why_not().empty()) refuse(callers);
  {
    const WatchedStretch watched(session);
    time_of_one(workload, DeviceKind::gpu);
  }
  TimesByCaller times;
  if (!callers->take(times)) refuse(callers);
  session.trace(nullptr);
  iteration.whole = iteration.unwatched;
  session.move_into(iteration, times);
}

ProfiledIteration profile_one(Workload& workload, DeviceKind device, Session& session) {
  ProfiledIteration iteration;
  iteration.unwatched = time_of_one(workload, device);
  if (device == DeviceKind::gpu) {
    profile_on_gpu(workload, session, iteration);
    return iteration;
  }
  {
    const WatchedStretch watched(session);
    iteration.whole = time_of_one(workload, device);
  }
  session.move_into(iteration);
  return iteration;
}

}  // namespace

Profile profile(Workload& workload, const IterationPlan& plan) {
  Session session;
  std::vector<ProfiledIteration> iterations;
  if (plan.device == DeviceKind::gpu) profile_one(workload, plan.device, session);  // pays for CUPTI's initialisation
  for (int i = 0; i < plan.iterations; ++i) iterations.push_back(profile_one(workload, plan.device, session));
  return summarize(iterations);
}

}  // namespace tbci::suite
