// What a timeline knows of communication between processes: by names, as c10d and Gloo write them. Pure.
#pragma once

#include <string>
#include <string_view>

#include "suite/timeline/timeline.hpp"

namespace tbci::suite {

// As the text of at::RecordFunction: what Gloo does on a thread of its own (`gloo:all_reduce`), and the wait for it.
inline bool is_communication(std::string_view text) {
  return text.substr(0, 5) == "gloo:";
}
inline constexpr const char* wait_for_communication = "gloo:wait";

// `gloo:all_reduce` -> `gloo.all_reduce`: a name without a dot is a node of the backward pass. Any other text stays.
std::string communication_name(const std::string& text);

// As names of a timeline: a collective at work, which a call of c10d has begun. Not the wait for it.
bool is_collective(std::string_view name);
bool begins_collective(std::string_view name);

// The calls from `first` on: a collective has the tensors of the call that began it. It is the last one before it with
// a storage of the collective, which itself tells less: all_to_all names what it sends alone.
void complete_collectives(Timeline& timeline, std::size_t first);

// The number of the call that began the collective `call`, by their tensors; below 0: none.
std::ptrdiff_t beginner_of(const Timeline& timeline, std::size_t call, std::size_t first = 0);

}  // namespace tbci::suite
