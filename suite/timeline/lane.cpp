#include "suite/timeline/lane.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>
#include <cstring>

#include <torch/torch.h>

#include <ATen/core/dispatch/Dispatcher.h>

#include "suite/operators.hpp"
#include "suite/timeline/communication.hpp"

namespace tbci::suite {
namespace {

constexpr auto dropped_call = static_cast<std::size_t>(-1);

// To ask the kernel costs more than a short call. What happens in a stretch shorter than this is charged to the next
// longer one.
constexpr std::chrono::nanoseconds worth_asking{10000};

// A difference of the two clocks that is smaller says nothing: they are not read at the same moment.
constexpr std::chrono::nanoseconds sure_gap{10000};

// A bit for each argument that the schema marks as written. Those of c10d mark nothing: there it is the first argument,
// where the name says that something is written.
std::uint64_t written_arguments(const c10::OperatorName& name) {
  if (name.name.rfind("c10d::", 0) == 0) return name.name.back() == '_' ? 1 : 0;
  const auto handle = c10::Dispatcher::singleton().findSchema(name);
  if (!handle) return 0;
  std::uint64_t bits = 0;
  const auto& arguments = handle->schema().arguments();
  for (std::size_t i = 0; i < std::min<std::size_t>(arguments.size(), 64); ++i) {
    const auto* alias = arguments[i].alias_info();
    if (alias != nullptr && alias->isWrite()) bits |= std::uint64_t{1} << i;
  }
  return bits;
}

}  // namespace

ThreadUse use_of_this_thread() {
  ThreadUse use;
  timespec cpu{};
  if (::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu) == 0)
    use.cpu = std::chrono::seconds(cpu.tv_sec) + std::chrono::nanoseconds(cpu.tv_nsec);
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
    use.cpu_of_process = std::chrono::seconds(cpu.tv_sec) + std::chrono::nanoseconds(cpu.tv_nsec);
  rusage usage{};
  if (::getrusage(RUSAGE_THREAD, &usage) == 0) {
    use.faults = usage.ru_minflt + usage.ru_majflt;
    use.gave_up_cpu = usage.ru_nvcsw;
  }
  return use;
}

bool one_cpu_for_this_thread() {
  cpu_set_t cpus;
  return ::sched_getaffinity(0, sizeof(cpus), &cpus) == 0 && CPU_COUNT(&cpus) == 1;
}

std::int64_t TimelineLane::elapsed(Instant now) const {
  return std::chrono::nanoseconds(now - origin_).count();
}

std::int64_t TimelineLane::time(Instant now) const {
  return real_time_ ? elapsed(now) : elapsed(now) - own_.count();
}

// The stretch since the last event belongs to the call that was entered last and not left. Returns what another process
// took of it. What a thread of this process took is waited for: it works for the iteration.
std::chrono::nanoseconds TimelineLane::charge(Instant now) {
  const std::chrono::nanoseconds stretch = now - last_;
  const bool first = last_read_ == Instant{};
  if (stretch < worth_asking && !first) return {};
  const ThreadUse use = use_of_this_thread();
  if (first) {
    last_use_ = use;
    last_read_ = now;
    return {};
  }
  const std::chrono::nanoseconds gap =
      std::min<std::chrono::nanoseconds>((now - last_read_) - (use.cpu - last_use_.cpu), stretch);
  const std::int64_t faults = use.faults - last_use_.faults;
  const std::chrono::nanoseconds others{
      std::clamp<std::int64_t>(((use.cpu_of_process - last_use_.cpu_of_process) - (use.cpu - last_use_.cpu)).count(), 0,
                               std::max<std::int64_t>(gap.count(), 0))};
  seen_others_ += others;
  std::int64_t waited = 0;
  std::chrono::nanoseconds taken{};
  if (gap > sure_gap && use.gave_up_cpu > last_use_.gave_up_cpu) {
    waited = gap.count();
  } else if (gap > sure_gap) {
    if (alone_on_cpu_) waited = others.count();
    taken = alone_on_cpu_ || beside_others_ ? gap - others : gap;
    own_ += taken;
  }
  last_use_ = use;
  last_read_ = now;
  const bool dropped = !inside_.empty() && inside_.back() == dropped_call;
  if (dropped) return taken;
  (inside_.empty() ? record_.outside_waited : record_.calls[inside_.back()].waited) += waited;
  (inside_.empty() ? record_.outside_faults : record_.calls[inside_.back()].faults) += faults;
  return taken;
}

void TimelineLane::resume(Instant since) {
  last_ = std::chrono::steady_clock::now();
  own_ += last_ - since;
}

void TimelineLane::enter(const at::RecordFunction& function) {
  const std::lock_guard lock(mutex_);
  if (!open_) return;
  const Instant now = std::chrono::steady_clock::now();
  const auto taken = charge(now);
  own_ += std::min<std::chrono::nanoseconds>(unseen_.before, now - last_ - taken);
  if (record_.calls.size() >= room_) {
    record_.cut_off = true;
    inside_.push_back(dropped_call);
    if (callers_ != nullptr) callers_->enter(caller(number_, 0));
    return resume(now);
  }
  const Operator& called = operator_of(function);
  RawCall call;
  call.name = called.name;
  call.begin = time(now);
  call.entered = elapsed(now);
  call.sequence = function.seqNr();
  call.inputs_from = record_.raw.size();
  std::size_t place = 0;
  for (const c10::IValue& input : function.inputs()) {
    note(input, place < 64 && ((called.written >> place) & 1U) != 0);
    ++place;
  }
  call.inputs_to = record_.raw.size();
  inside_.push_back(record_.calls.size());
  record_.calls.push_back(call);
  if (callers_ != nullptr) callers_->enter(caller(number_, inside_.back()));
  resume(now);
}

void TimelineLane::leave(const at::RecordFunction& function) {
  const std::lock_guard lock(mutex_);
  if (!open_) return;
  const Instant now = std::chrono::steady_clock::now();
  const auto taken = charge(now);
  own_ += std::min<std::chrono::nanoseconds>(unseen_.within, (now - last_ - taken) / 2);
  if (callers_ != nullptr) callers_->leave();
  if (inside_.empty()) return resume(now);
  const std::size_t index = inside_.back();
  inside_.pop_back();
  if (index != dropped_call) {
    RawCall& call = record_.calls[index];
    call.end = time(now);
    call.left = elapsed(now);
    call.outputs_from = record_.raw.size();
    for (const c10::IValue& output : function.outputs()) note(output, false);
    call.outputs_to = record_.raw.size();
  }
  resume(now);
}

void TimelineLane::number_node(std::int64_t sequence) {
  const std::lock_guard lock(mutex_);
  if (!open_) return;
  const Instant now = std::chrono::steady_clock::now();
  charge(now);
  if (!inside_.empty() && inside_.back() != dropped_call) {
    RawCall& call = record_.calls[inside_.back()];
    if (call.sequence < 0) call.sequence = sequence;  // a node may call another one
  }
  resume(now);
}

void TimelineLane::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
}

void TimelineLane::close() {
  const std::lock_guard lock(mutex_);
  open_ = false;
  inside_.clear();
}

std::int64_t TimelineLane::begin_iteration() {
  const std::lock_guard lock(mutex_);
  last_read_ = {};
  const Instant now = std::chrono::steady_clock::now();
  charge(now);
  use_at_begin_ = last_use_;
  seen_others_ = {};
  const std::int64_t at = time(now);
  record_.marks.push_back({elapsed(now), at});
  resume(now);
  return at;
}

// Other threads also have the CPU while the recorder works for this one. Without it they would have it all the same,
// at another moment.
std::int64_t TimelineLane::end_iteration() {
  const std::lock_guard lock(mutex_);
  const Instant now = std::chrono::steady_clock::now();
  charge(now);
  if (alone_on_cpu_) {
    const ThreadUse use = use_of_this_thread();
    const auto others = (use.cpu_of_process - use_at_begin_.cpu_of_process) - (use.cpu - use_at_begin_.cpu);
    const auto unseen = std::clamp<std::chrono::nanoseconds>(others - seen_others_, {}, std::max(own_, {}));
    own_ -= unseen;
    record_.outside_waited += unseen.count();
  }
  const std::int64_t at = time(now);
  record_.marks.push_back({elapsed(now), at});
  resume(now);
  return at;
}

void TimelineLane::clear() {
  const std::lock_guard lock(mutex_);
  record_.calls.clear();
  record_.marks.clear();
  record_.raw.clear();
  record_.outside_waited = record_.outside_faults = 0;
  record_.cut_off = false;
  inside_.clear();
  last_read_ = {};
}

void TimelineLane::forget_ended() {
  const std::lock_guard lock(mutex_);
  const Instant now = std::chrono::steady_clock::now();
  std::vector<RawCall> open;
  std::vector<std::int64_t> raw;
  for (std::size_t& index : inside_) {
    if (index == dropped_call) continue;
    RawCall call = record_.calls[index];
    const auto from = record_.raw.begin() + static_cast<std::ptrdiff_t>(call.inputs_from);
    const auto to = record_.raw.begin() + static_cast<std::ptrdiff_t>(call.inputs_to);
    call.inputs_from = raw.size();
    raw.insert(raw.end(), from, to);
    call.inputs_to = raw.size();
    call.begin = time(now);
    call.entered = elapsed(now);
    call.waited = call.faults = 0;
    index = open.size();
    open.push_back(call);
  }
  record_.calls = std::move(open);
  record_.raw = std::move(raw);
  record_.outside_waited = record_.outside_faults = 0;
  record_.cut_off = false;
  last_ = now;
  last_read_ = {};
}

const TimelineLane::Operator& TimelineLane::operator_of(const at::RecordFunction& function) {
  // As in a profile: an operator's name never moves, any other name has to be read.
  const auto known = by_address_.find(function.name());
  if (known != by_address_.end()) return known->second;
  const auto schema = function.operator_name();
  if (schema) {
    record_.names.push_back(python_name(*schema));
    return by_address_[function.name()] = {record_.names.size() - 1, written_arguments(*schema)};
  }
  const auto text = by_text_.find(function.name());
  if (text != by_text_.end()) return text->second;
  record_.names.push_back(communication_name(node_name(function.name())));
  return by_text_[function.name()] = {record_.names.size() - 1,
                                      function.name() == std::string_view(wait_for_communication) ? 1U : 0U};
}

void TimelineLane::note(const c10::IValue& value, bool written) {
  if (value.isTensor()) {
    note(value.toTensor(), written);
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) note(tensor, written);
  } else if (value.isList()) {  // of optional tensors
    for (const c10::IValue& each : value.toListRef()) {
      if (each.isTensor()) note(each.toTensor(), written);
    }
  }
}

void TimelineLane::note(const at::Tensor& tensor, bool written) {
  auto& raw = record_.raw;
  if (!tensor.defined()) {
    raw.insert(raw.end(), {0, 0, 0, 0});
    return;
  }
  const bool plain = tensor.has_storage() && !tensor.is_nested();
  const void* storage = plain ? static_cast<const void*>(tensor.storage().unsafeGetStorageImpl())
                              : static_cast<const void*>(tensor.unsafeGetTensorImpl());
  const std::int64_t flags = (written ? raw_written : 0) | (tensor.is_cuda() ? raw_on_gpu : 0) |
                             (plain || tensor.is_nested() || tensor.is_mkldnn() ? 0 : raw_sparse);
  const auto sizes = tensor.is_nested() ? c10::IntArrayRef() : tensor.sizes();  // also of a sparse one
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(storage));
  raw.insert(raw.end(), {address, static_cast<std::int64_t>(tensor.scalar_type()), flags,
                         static_cast<std::int64_t>(sizes.size())});
  raw.insert(raw.end(), sizes.begin(), sizes.end());
}

}  // namespace tbci::suite
