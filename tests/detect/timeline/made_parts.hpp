// Parts of iterations that tests make.
#pragma once

#include <array>

#include "detect/timeline/step.hpp"

namespace tbci::made_parts {

using detect::IterationParts;
using detect::RecordedParts;

// Eight operators of two sizes each: 100 and 10 microseconds a call, ten calls, which is 8,800 of an iteration of
// 10,000.
inline constexpr std::array operators = {"aten.mm.default",  "aten.add.Tensor",   "aten.mul.Tensor",
                                         "aten.sum.default", "aten.relu.default", "aten.div.Tensor",
                                         "aten.exp.default", "aten.bmm.default"};

inline IterationParts base() {
  IterationParts parts;
  parts.outside = 1200e3;
  parts.fault_nanoseconds = 500;
  parts.dispatch_nanoseconds = 1000;
  for (const char* name : operators) {
    parts.groups[{name, "(64,)"}] = {.calls = 10, .own = 1000e3};
    parts.groups[{name, "(8,)"}] = {.calls = 10, .own = 100e3};
  }
  parts.whole = 10000e3;
  return parts;
}

// Three recordings, which differ by a thousandth and have their whole set to what their parts are.
inline RecordedParts recordings(IterationParts parts) {
  RecordedParts all;
  for (const double off : {1.0, 1.001, 0.999}) {
    IterationParts one = parts;
    one.outside *= off;
    one.whole = one.outside + one.waited + one.tier + one.communication;
    for (auto& [group, time] : one.groups) {
      time.own *= off;
      if (group.region == detect::Region::none) one.whole += time.own;
    }
    all.push_back(one);
  }
  return all;
}

}  // namespace tbci::made_parts
