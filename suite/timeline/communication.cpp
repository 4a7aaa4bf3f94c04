#include "suite/timeline/communication.hpp"

#include <algorithm>

namespace tbci::suite {
namespace {

std::int64_t storage_in(const Timeline& timeline, const TensorUse& use) {
  return use.tensor < 0 ? 0 : timeline.tensors[static_cast<std::size_t>(use.tensor)].storage;
}

bool share_a_storage(const Timeline& timeline, const TimelineCall& one, const TimelineCall& other) {
  return std::any_of(one.inputs.begin(), one.inputs.end(), [&](const TensorUse& use) {
    const std::int64_t storage = storage_in(timeline, use);
    return storage != 0 && std::any_of(other.inputs.begin(), other.inputs.end(), [&](const TensorUse& another) {
             return storage_in(timeline, another) == storage;
           });
  });
}

}  // namespace

std::string communication_name(const std::string& text) {
  return is_communication(text) ? "gloo." + text.substr(5) : text;
}

bool is_collective(std::string_view name) {
  return name.substr(0, 5) == "gloo." && name != "gloo.wait";
}

bool begins_collective(std::string_view name) {
  return name.substr(0, 5) == "c10d.";
}

std::ptrdiff_t beginner_of(const Timeline& timeline, std::size_t call, std::size_t first) {
  const TimelineCall& collective = timeline.calls[call];
  std::ptrdiff_t found = -1;
  for (std::size_t i = first; i < timeline.calls.size(); ++i) {
    const TimelineCall& one = timeline.calls[i];
    if (!begins_collective(timeline.names[one.name]) || one.begin > collective.begin) continue;
    const bool later = found < 0 || one.begin >= timeline.calls[static_cast<std::size_t>(found)].begin;
    if (later && share_a_storage(timeline, one, collective)) found = static_cast<std::ptrdiff_t>(i);
  }
  return found;
}

void complete_collectives(Timeline& timeline, std::size_t first) {
  for (std::size_t i = first; i < timeline.calls.size(); ++i) {
    if (!is_collective(timeline.names[timeline.calls[i].name])) continue;
    const std::ptrdiff_t beginner = beginner_of(timeline, i, first);
    if (beginner >= 0) timeline.calls[i].inputs = timeline.calls[static_cast<std::size_t>(beginner)].inputs;
  }
}

}  // namespace tbci::suite
