// Timelines of a worker, made by hand.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "suite/timeline/timeline.hpp"

namespace tbci::suite::test {

// A tensor's number is its storage's less one. `written`: those of the inputs that are.
inline std::vector<TensorUse> uses_of(const std::vector<std::int64_t>& storages, bool written = false) {
  std::vector<TensorUse> uses;
  for (const std::int64_t storage : storages) uses.push_back({storage - 1, written});
  return uses;
}

class MadeCalls {
 public:
  MadeCalls() {
    for (std::int64_t storage = 1; storage <= 20; ++storage) timeline.tensors.push_back({storage, 0, false, {}});
  }

  TimelineCall& add(const std::string& name, std::int64_t begin, std::int64_t length,
                    const std::vector<std::int64_t>& inputs = {}, const std::vector<std::int64_t>& outputs = {}) {
    const auto known = std::find(timeline.names.begin(), timeline.names.end(), name);
    TimelineCall call;
    call.name = static_cast<std::size_t>(known - timeline.names.begin());
    if (known == timeline.names.end()) timeline.names.push_back(name);
    call.begin = begin;
    call.length = length;
    call.inputs = uses_of(inputs);
    call.outputs = uses_of(outputs);
    timeline.calls.push_back(call);
    return timeline.calls.back();
  }

  Timeline timeline;
};

}  // namespace tbci::suite::test
