// Timelines made by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "storage/model/timeline.hpp"

namespace tbci::made_timeline {

/// Adds names, tensors and calls one by one. One nanosecond is a byte, two floating-point operations; a fault takes 10.
class MadeTimeline {
 public:
  MadeTimeline() {
    timeline_.speed = {.dispatch_nanoseconds = 100,
                       .writing = {.fault_nanoseconds = 10},
                       .computing = {},
                       .bytes_per_second = 1000000000,
                       .flops_per_second = 2000000000};
  }

  MadeTimeline& iteration(std::int64_t begin, std::int64_t length, std::int64_t unwatched = 0) {
    timeline_.iterations.push_back({.begin = begin, .length = length, .unwatched = unwatched, .watched = length});
    return *this;
  }

  /// The number of a tensor, new for each call.
  std::int64_t tensor(std::int64_t storage, std::vector<std::int64_t> sizes, const std::string& type = "fp32") {
    timeline_.tensors.push_back(
        {.storage = storage, .type = number_of(type), .on_gpu = false, .sizes = std::move(sizes)});
    return static_cast<std::int64_t>(timeline_.tensors.size()) - 1;
  }

  model::TimelineCall& call(const std::string& name, std::int64_t begin, std::int64_t length,
                            const std::vector<std::int64_t>& inputs = {},
                            const std::vector<std::int64_t>& outputs = {}) {
    model::TimelineCall made;
    made.name = number_of(name);
    made.begin = begin;
    made.length = length;
    for (const std::int64_t input : inputs) made.inputs.push_back({.tensor = input});
    for (const std::int64_t output : outputs) made.outputs.push_back({.tensor = output});
    timeline_.calls.push_back(std::move(made));
    return timeline_.calls.back();
  }

  model::Timeline& timeline() { return timeline_; }

 private:
  std::size_t number_of(const std::string& name) {
    for (std::size_t i = 0; i < timeline_.names.size(); ++i) {
      if (timeline_.names[i] == name) return i;
    }
    timeline_.names.push_back(name);
    return timeline_.names.size() - 1;
  }

  model::Timeline timeline_;
};

}  // namespace tbci::made_timeline
