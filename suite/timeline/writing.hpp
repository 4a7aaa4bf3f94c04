// Turns what lanes noted into a timeline.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "suite/timeline/identities.hpp"
#include "suite/timeline/lane.hpp"
#include "suite/timeline/lane_clock.hpp"
#include "suite/timeline/timeline.hpp"

namespace tbci::suite {

// Of one timeline, iteration by iteration.
class TimelineWriting {
 public:
  explicit TimelineWriting(Timeline& timeline) : timeline_(timeline) {}

  // Adds the calls of the lanes, the first of which is the iterating thread's. `end`: of the iteration; a call that
  // goes on ends with it. The first call of each lane becomes the number that the answer has for it.
  std::map<std::uint64_t, std::size_t> add(const std::vector<std::shared_ptr<TimelineLane>>& lanes, std::int64_t end);

  std::int64_t storage_of(const torch::Tensor& tensor);

 private:
  // A call begins, or ends.
  struct Event {
    std::int64_t at;
    std::size_t order;
    std::size_t call;
    const LaneRecord* record;
    const RawCall* raw;
    bool returns;
  };

  void add(const TimelineLane& lane, const LaneClock* clock, std::int64_t end);
  void look(const Event& event);
  template <class Identify>
  TensorUse use_of(const std::int64_t* raw, Identify identify);
  std::size_t number_of(const std::string& name);

  Timeline& timeline_;
  Identities identities_;
  std::vector<Event> events_;
  std::map<std::string, std::size_t> names_;
  std::map<std::vector<std::int64_t>, std::size_t> tensors_;
};

}  // namespace tbci::suite
