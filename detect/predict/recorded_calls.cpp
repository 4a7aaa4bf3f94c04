#include "detect/predict/recorded_calls.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "detect/predict/quiet_time.hpp"
#include "detect/timeline/categories.hpp"
#include "detect/timeline/evidence.hpp"
#include "detect/timeline/regions.hpp"
#include "detect/timeline/step.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

using Places = std::vector<std::size_t>;  // numbers of calls in a timeline

bool is_autograd_node(const Look& look, std::size_t call) {
  return purpose_of(look.name(call)) == Purpose::node;
}

using Lanes = std::map<std::size_t, std::size_t>;  // by thread

// Which of Gloo's threads does what differs from one iteration to the next, so all of them are one lane.
Lanes lanes_of_threads(const Look& look) {
  Lanes lanes{{look.thread, 0}};
  std::map<std::size_t, bool> of_gloo;
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    bool& gloo = of_gloo[look.timeline.calls[i].thread];
    gloo = gloo || is_collective(look.name(i));
  }
  std::size_t next = 1;
  std::optional<std::size_t> lane_of_gloo;
  for (const auto& [thread, gloo] : of_gloo) {
    if (thread == look.thread) continue;
    if (gloo && lane_of_gloo) {
      lanes[thread] = *lane_of_gloo;
      continue;
    }
    if (gloo) lane_of_gloo = next;
    lanes[thread] = next++;
  }
  return lanes;
}

// When each collective was begun, and all within it; 0 of any other call. The call that began it is the last one of
// c10d before it that has a storage of it.
std::vector<std::int64_t> begins_of_collectives(const Look& look) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    if (begins_collective(look.name(i)) || is_collective(look.name(i))) order.push_back(i);
  }
  std::ranges::stable_sort(
      order, {}, [&](std::size_t i) { return std::pair(look.timeline.calls[i].begin, is_collective(look.name(i))); });
  std::vector<std::int64_t> begins(look.calls.size());
  std::map<std::int64_t, std::int64_t> begun;  // by storage
  for (const std::size_t i : order) {
    const model::TimelineCall& call = look.timeline.calls[i];
    std::int64_t last = INT64_MIN;
    for (const model::TensorUse& use : call.inputs) {
      const model::SeenTensor* tensor = look.tensor(use);
      if (tensor == nullptr) continue;
      if (!is_collective(look.name(i))) {
        begun[tensor->storage] = call.begin;
      } else if (const auto found = begun.find(tensor->storage); found != begun.end()) {
        last = std::max(last, found->second);
      }
    }
    if (is_collective(look.name(i))) begins[i] = last == INT64_MIN ? call.begin : last;
  }
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    if (look.calls[i].parent >= 0) begins[i] = begins[static_cast<std::size_t>(look.calls[i].parent)];
  }
  return begins;
}

// The operators of each iteration, by lane.
std::vector<Places> operators_by_iteration(const Look& look, const Lanes& lanes) {
  std::vector<Places> all(look.timeline.iterations.size());
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    if (look.calls[i].iteration >= 0 && !is_autograd_node(look, i))
      all[static_cast<std::size_t>(look.calls[i].iteration)].push_back(i);
  }
  const std::vector<std::int64_t> begun = begins_of_collectives(look);
  for (Places& calls : all) {
    std::ranges::stable_sort(
        calls, {}, [&](std::size_t i) { return std::pair(lanes.at(look.timeline.calls[i].thread), begun[i]); });
  }
  return all;
}

// How many calls before a call the one stands that made it; 0: none.
std::ptrdiff_t distance_of_caller(const Look& look, std::size_t call) {
  const std::ptrdiff_t parent = look.calls[call].parent;
  return parent < 0 ? 0 : static_cast<std::ptrdiff_t>(call) - parent;
}

bool make_the_same_calls(const Look& look, const Lanes& lanes, const Places& one, const Places& other) {
  return std::ranges::equal(one, other, [&](std::size_t a, std::size_t b) {
    return look.timeline.calls[a].name == look.timeline.calls[b].name &&
           lanes.at(look.timeline.calls[a].thread) == lanes.at(look.timeline.calls[b].thread) &&
           distance_of_caller(look, a) == distance_of_caller(look, b);
  });
}

std::vector<CallTensor> tensors_of(const Look& look, const std::vector<model::TensorUse>& uses) {
  std::vector<CallTensor> tensors;
  for (const model::TensorUse& use : uses) {
    CallTensor& made = tensors.emplace_back();
    const model::SeenTensor* seen = look.tensor(use);
    if (seen == nullptr) continue;
    made = {.storage = seen->storage,
            .written = use.written,
            .element_bytes = bytes_of_element(look.timeline.names[seen->type]),
            .sizes = seen->sizes};
  }
  return tensors;
}

std::int64_t forward_of(const Look& look, std::size_t call) {
  const std::ptrdiff_t parent = look.calls[call].parent;
  return parent >= 0 && is_autograd_node(look, static_cast<std::size_t>(parent))
             ? look.timeline.calls[static_cast<std::size_t>(parent)].sequence
             : -1;
}

// What is the same in all iterations, of the last one.
std::vector<RecordedCall> structure_of(const Look& look, const Places& places, const Lanes& lanes) {
  std::map<std::size_t, std::size_t> place_of;
  std::vector<RecordedCall> calls;
  for (const std::size_t number : places) {
    const model::TimelineCall& call = look.timeline.calls[number];
    const std::ptrdiff_t parent = look.calls[number].caller;
    const model::TimelineIteration& iteration =
        look.timeline.iterations[static_cast<std::size_t>(look.calls[number].iteration)];
    place_of[number] = calls.size();
    RecordedCall made;
    made.name = look.name(number);
    made.lane = lanes.at(call.thread);
    // On another thread a call may have begun in an earlier iteration.
    const auto caller = parent < 0 ? place_of.end() : place_of.find(static_cast<std::size_t>(parent));
    if (caller != place_of.end()) made.parent = static_cast<std::ptrdiff_t>(caller->second);
    made.sequence = call.sequence;
    made.forward = forward_of(look, number);
    made.inputs = tensors_of(look, call.inputs);
    made.outputs = tensors_of(look, call.outputs);
    made.begin = static_cast<double>(call.begin - iteration.begin);
    calls.push_back(std::move(made));
  }
  for (std::size_t i = calls.size(); i-- > 0;) {
    calls[i].end = std::max(calls[i].end, i + 1);
    if (calls[i].parent < 0) continue;
    RecordedCall& parent = calls[static_cast<std::size_t>(calls[i].parent)];
    parent.end = std::max(parent.end, calls[i].end);
  }
  return calls;
}

template <class Value>
std::vector<double> over_iterations(const std::vector<Places>& iterations, Value value) {
  std::vector<double> values;
  values.reserve(iterations.size());
  for (const Places& places : iterations) values.push_back(value(places));
  return values;
}

// Of one call in each iteration.
class CallTimes {
 public:
  explicit CallTimes(const Look& look) : look_(look), own_(look.calls.size()) {
    // What a node inside an operator takes itself is the operator's.
    for (std::size_t i = 0; i < look.calls.size(); ++i) {
      const std::ptrdiff_t to = is_autograd_node(look, i) ? look.calls[i].caller : static_cast<std::ptrdiff_t>(i);
      if (to >= 0) own_[static_cast<std::size_t>(to)] += static_cast<double>(look.calls[i].self);
    }
  }
  double waited(std::size_t call) const {
    return std::min(own_[call], static_cast<double>(look_.timeline.calls[call].waited));
  }
  double own(std::size_t call) const { return own_[call] - waited(call); }

 private:
  const Look& look_;
  std::vector<double> own_;
};

void set_times(const Look& look, const std::vector<Places>& iterations, std::vector<RecordedCall>& calls) {
  const CallTimes times(look);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    calls[i].own = quiet_time(over_iterations(iterations, [&](const Places& at) { return times.own(at[i]); }));
    calls[i].waited = quiet_time(over_iterations(iterations, [&](const Places& at) { return times.waited(at[i]); }));
    calls[i].faults = model::median(over_iterations(
        iterations, [&](const Places& at) { return static_cast<double>(look.timeline.calls[at[i]].faults); }));
  }
}

void find_kernels(double dispatch, std::vector<RecordedCall>& calls) {
  std::vector<bool> calls_kernels(calls.size());
  for (std::size_t i = calls.size(); i-- > 0;) {
    RecordedCall& call = calls[i];
    const bool computes = purpose_of(call.name) == Purpose::compute || is_copy(call.name);
    call.kernel = computes && (!calls_kernels[i] || call.own > StepThresholds().long_call * dispatch);
    if (call.parent >= 0 && (call.kernel || calls_kernels[i]))
      calls_kernels[static_cast<std::size_t>(call.parent)] = true;
  }
}

// The own stretches of one call, by where they lie between the first and the last kernel of the model's own call.
OwnTime stretches_of(const Look& look, const std::vector<RecordedCall>& calls, const Places& places, std::size_t call,
                     std::int64_t first, std::int64_t last) {
  OwnTime split;
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    const auto length = static_cast<double>(end - begin);
    (end <= first ? split.before : begin >= last ? split.after : split.between) += length;
  };
  const model::TimelineCall& timed = look.timeline.calls[places[call]];
  std::int64_t from = timed.begin;
  for (std::size_t i = call + 1; i < calls[call].end; i = calls[i].end) {
    const model::TimelineCall& inner = look.timeline.calls[places[i]];
    add(from, inner.begin);
    from = inner.end();
  }
  add(from, timed.end());
  return split;
}

// Of the calls of one of the model's own.
void set_splits_of(const Look& look, const std::vector<Places>& iterations, std::size_t top,
                   std::vector<RecordedCall>& calls) {
  std::vector<std::vector<OwnTime>> splits(calls[top].end - top);
  for (const Places& places : iterations) {
    std::int64_t first = std::numeric_limits<std::int64_t>::max(), last = std::numeric_limits<std::int64_t>::min();
    for (std::size_t i = top; i < calls[top].end; ++i) {
      if (!calls[i].kernel) continue;
      first = std::min(first, look.timeline.calls[places[i]].begin);
      last = std::max(last, look.timeline.calls[places[i]].end());
    }
    if (first > last) return;  // no kernel: all of it is between operators
    for (std::size_t i = top; i < calls[top].end; ++i) {
      if (!calls[i].kernel) splits[i - top].push_back(stretches_of(look, calls, places, i, first, last));
    }
  }
  for (std::size_t i = top; i < calls[top].end; ++i) {
    OwnTime sum;
    for (const OwnTime& one : splits[i - top]) {
      sum.before += one.before;
      sum.between += one.between;
      sum.after += one.after;
    }
    if (sum.sum() <= 0) continue;
    const double scale = calls[i].own / sum.sum();
    calls[i].split = {.before = sum.before * scale, .between = sum.between * scale, .after = sum.after * scale};
  }
}

void set_gaps(const Look& look, const std::vector<Places>& iterations, RecordedIteration& recorded) {
  const auto iteration_of = [&](const Places& places) -> const model::TimelineIteration& {
    return look.timeline.iterations[static_cast<std::size_t>(look.calls[places.front()].iteration)];
  };
  std::ptrdiff_t before = -1;
  for (std::size_t i = 0; i < recorded.calls.size() && recorded.calls[i].lane == 0; i = recorded.calls[i].end) {
    recorded.calls[i].gap = quiet_time(over_iterations(iterations, [&](const Places& at) {
      const std::int64_t since =
          before < 0 ? iteration_of(at).begin : look.timeline.calls[at[static_cast<std::size_t>(before)]].end();
      return static_cast<double>(look.timeline.calls[at[i]].begin - since);
    }));
    before = static_cast<std::ptrdiff_t>(i);
  }
  if (before < 0) return;
  recorded.last_gap = quiet_time(over_iterations(iterations, [&](const Places& at) {
    return static_cast<double>(iteration_of(at).end() -
                               look.timeline.calls[at[static_cast<std::size_t>(before)]].end());
  }));
}

// What the iterating thread waits for is on another lane. Where it waits outside operators was not recorded.
void take_waiting_out(const Look& look, const std::vector<Places>& iterations, RecordedIteration& recorded) {
  double* longest = &recorded.last_gap;
  for (RecordedCall& call : recorded.calls) {
    if (call.gap > *longest) longest = &call.gap;
  }
  const double waited = quiet_time(over_iterations(iterations, [&](const Places& at) {
    const std::ptrdiff_t iteration = look.calls[at.front()].iteration;
    return static_cast<double>(look.timeline.iterations[static_cast<std::size_t>(iteration)].waited);
  }));
  recorded.waited = std::min(waited, *longest);
  *longest -= recorded.waited;
}

bool another_thread_is_in_a_tier(const Look& look) {
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    if (look.timeline.calls[i].thread != look.thread && region_named(look.name(i)) == Region::tier) return true;
  }
  return false;
}

}  // namespace

Result<RecordedIteration> recorded_iteration(const Look& look) {
  if (look.timeline.on_gpu)
    return fail(ErrorKind::failed,
                "the time of a GPU is not predicted: the rules for its overheads were tried on none");
  if (another_thread_is_in_a_tier(look))
    return fail(ErrorKind::failed,
                "another thread brings in rows from a slower memory beside the iteration: what that takes of the "
                "iteration's CPU is not predicted");
  const auto lanes = lanes_of_threads(look);
  std::vector<Places> iterations = operators_by_iteration(look, lanes);
  const Places last = iterations.back();
  if (last.empty()) return fail(ErrorKind::failed, "no operator was recorded, so there is nothing to predict from");
  std::erase_if(iterations, [&](const Places& places) { return !make_the_same_calls(look, lanes, places, last); });
  RecordedIteration recorded;
  recorded.calls = structure_of(look, last, lanes);
  recorded.dispatch_nanoseconds = static_cast<double>(look.timeline.speed.dispatch_nanoseconds);
  recorded.fault_nanoseconds = static_cast<double>(look.timeline.speed.writing.fault_nanoseconds);
  set_times(look, iterations, recorded.calls);
  find_kernels(recorded.dispatch_nanoseconds, recorded.calls);
  for (std::size_t i = 0; i < recorded.calls.size(); i = recorded.calls[i].end)
    set_splits_of(look, iterations, i, recorded.calls);
  set_gaps(look, iterations, recorded);
  if (recorded.calls.back().lane > 0) take_waiting_out(look, iterations, recorded);
  return recorded;
}

}  // namespace tbci::detect
