#include "suite/timeline/writing.hpp"

#include <algorithm>
#include <utility>

#include "suite/element_types.hpp"

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
                                raw[2] & TimelineLane::raw_on_gpu};
  key.insert(key.end(), raw + 4, raw + 4 + raw[3]);
  const auto [place, is_new] = tensors_.try_emplace(key, timeline_.tensors.size());
  if (is_new) {
    const auto type = static_cast<at::ScalarType>(raw[1]);
    timeline_.tensors.push_back({key[0], static_cast<std::int64_t>(number_of(short_name(type))), key[2] != 0,
                                 std::vector<std::int64_t>(raw + 4, raw + 4 + raw[3])});
  }
  return {static_cast<std::int64_t>(place->second), (raw[2] & TimelineLane::raw_written) != 0};
}

std::size_t TimelineWriting::number_of(const std::string& name) {
  const auto [place, is_new] = names_.try_emplace(name, timeline_.names.size());
  if (is_new) timeline_.names.push_back(name);
  return place->second;
}

std::map<std::uint64_t, std::size_t> TimelineWriting::add(const std::vector<std::shared_ptr<TimelineLane>>& lanes) {
  std::map<std::uint64_t, std::size_t> first_calls;
  for (const auto& lane : lanes) {
    const LaneRecord& record = lane->record();
    first_calls[lane->number()] = timeline_.calls.size();
    for (const RawCall& raw : record.calls) {
      events_.push_back({raw.entered, events_.size(), timeline_.calls.size(), &record, &raw, false});
      if (raw.end >= 0) events_.push_back({raw.left, events_.size(), timeline_.calls.size(), &record, &raw, true});
      timeline_.calls.push_back({number_of(record.names[raw.name]),
                                 static_cast<std::size_t>(lane->number()),
                                 raw.begin,
                                 std::max<std::int64_t>(raw.end - raw.begin, 0),
                                 raw.waited,
                                 raw.faults,
                                 raw.sequence,
                                 {},
                                 {}});
    }
  }
  // A call ends before what it returns is given to another one.
  std::sort(events_.begin(), events_.end(), [](const Event& a, const Event& b) {
    if (a.at != b.at) return a.at < b.at;
    return a.returns != b.returns ? a.returns > b.returns : a.order < b.order;
  });
  for (const Event& event : events_) look(event);
  events_.clear();
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
