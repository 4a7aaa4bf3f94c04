#include "suite/timeline/writing.hpp"

#include <algorithm>
#include <utility>

#include "suite/element_types.hpp"
#include "suite/timeline/communication.hpp"

namespace tbci::suite {
namespace {

template <class Take>
void each_tensor(const std::vector<std::int64_t>& raw, std::size_t from, std::size_t to, Take take) {
  while (from < to) {
    take(raw.data() + from);
    from += 4 + static_cast<std::size_t>(raw[from + 3]);
  }
}

}  // namespace

template <class Identify>
TensorUse TimelineWriting::use_of(const std::int64_t* raw, Identify identify) {
  if (raw[0] == 0) return {};
  std::vector<std::int64_t> key{identify(static_cast<std::uintptr_t>(raw[0])), raw[1],
                                raw[2] & (TimelineLane::raw_on_gpu | TimelineLane::raw_sparse)};
  key.insert(key.end(), raw + 4, raw + 4 + raw[3]);
  const auto [place, is_new] = tensors_.try_emplace(key, timeline_.tensors.size());
  if (is_new) {
    const auto type = static_cast<at::ScalarType>(raw[1]);
    const std::string sparse = (raw[2] & TimelineLane::raw_sparse) != 0 ? "sparse " : "";
    timeline_.tensors.push_back({key[0], static_cast<std::int64_t>(number_of(sparse + short_name(type))),
                                 (raw[2] & TimelineLane::raw_on_gpu) != 0,
                                 std::vector<std::int64_t>(raw + 4, raw + 4 + raw[3])});
  }
  return {static_cast<std::int64_t>(place->second), (raw[2] & TimelineLane::raw_written) != 0};
}

std::size_t TimelineWriting::number_of(const std::string& name) {
  const auto [place, is_new] = names_.try_emplace(name, timeline_.names.size());
  if (is_new) timeline_.names.push_back(name);
  return place->second;
}

// `clock`: of another lane, whose own is not used; null: the lane's own.
void TimelineWriting::add(const TimelineLane& lane, const LaneClock* clock, std::int64_t end) {
  const LaneRecord& record = lane.record();
  for (const RawCall& raw : record.calls) {
    events_.push_back({raw.entered, events_.size(), timeline_.calls.size(), &record, &raw, false});
    if (raw.end >= 0) events_.push_back({raw.left, events_.size(), timeline_.calls.size(), &record, &raw, true});
    TimelineCall call;
    call.name = number_of(record.names[raw.name]);
    call.thread = static_cast<std::size_t>(lane.number());
    call.begin = clock == nullptr ? raw.begin : clock->at(raw.entered);
    const std::int64_t until = raw.end < 0 ? end : clock == nullptr ? raw.end : clock->at(raw.left);
    call.length = std::max<std::int64_t>(until - call.begin, 0);
    // On another clock a call has another length, and waits for the same part of it.
    const std::int64_t own = raw.end < 0 ? 0 : raw.end - raw.begin;
    const double part = clock == nullptr || own <= 0 ? 1 : static_cast<double>(call.length) / static_cast<double>(own);
    call.waited = std::min(static_cast<std::int64_t>(static_cast<double>(raw.waited) * part), call.length);
    call.faults = raw.faults;
    call.sequence = raw.sequence;
    timeline_.calls.push_back(std::move(call));
  }
}

std::map<std::uint64_t, std::size_t> TimelineWriting::add(const std::vector<std::shared_ptr<TimelineLane>>& lanes,
                                                          std::int64_t end) {
  std::map<std::uint64_t, std::size_t> first_calls;
  const std::size_t first = timeline_.calls.size();
  const LaneClock clock(lanes.front()->record());
  for (const auto& lane : lanes) {
    first_calls[lane->number()] = timeline_.calls.size();
    add(*lane, lane == lanes.front() ? nullptr : &clock, end);
  }
  // A call ends before what it returns is given to another one.
  std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    if (a.at != b.at) return a.at < b.at;
    return a.returns != b.returns ? a.returns > b.returns : a.order < b.order;
  });
  for (const Event& event : events_) look(event);
  events_.clear();
  complete_collectives(timeline_, first);
  return first_calls;
}

std::int64_t TimelineWriting::storage_of(const torch::Tensor& tensor) {
  return identities_.given(reinterpret_cast<std::uintptr_t>(tensor.storage().unsafeGetStorageImpl()));
}

void TimelineWriting::look(const Event& event) {
  TimelineCall& call = timeline_.calls[event.call];
  if (!event.returns) {
    each_tensor(event.record->raw, event.raw->inputs_from, event.raw->inputs_to, [&](const std::int64_t* tensor) {
      call.inputs.push_back(use_of(tensor, [&](std::uintptr_t address) { return identities_.given(address); }));
    });
    return;
  }
  std::vector<std::uintptr_t> given;
  each_tensor(event.record->raw, event.raw->inputs_from, event.raw->inputs_to,
              [&](const std::int64_t* tensor) { given.push_back(static_cast<std::uintptr_t>(tensor[0])); });
  each_tensor(event.record->raw, event.raw->outputs_from, event.raw->outputs_to, [&](const std::int64_t* tensor) {
    call.outputs.push_back(use_of(tensor, [&](std::uintptr_t address) {
      return identities_.returned(address, given, event.raw->entered, event.raw->left);
    }));
  });
}

}  // namespace tbci::suite
