// What a piece of a workload takes.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <vector>

#include "suite/timeline/lane.hpp"

namespace tbci::suite::truth {

using Microseconds = std::chrono::duration<double, std::micro>;
using Piece = std::function<void()>;

// Of this thread's CPU, in microseconds: other work on the machine is not in it.
inline double cpu_now() {
  return Microseconds(use_of_this_thread().cpu).count();
}

inline double time_of(const Piece& piece) {
  const double begin = cpu_now();
  piece();
  return cpu_now() - begin;
}

inline double wall_time_of(const Piece& piece) {
  const auto begin = std::chrono::steady_clock::now();
  piece();
  return Microseconds(std::chrono::steady_clock::now() - begin).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace tbci::suite::truth
