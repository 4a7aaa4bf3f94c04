// What a first night costs, before anything was measured here. Pure.
//
// The numbers behind it are those of docs/measured.md ("The worker", "Wheels"): they are of one machine, so that
// another one's night is as long as they say, give or take half of it.
#pragma once

#include <chrono>
#include <cstdint>

namespace tbci::settings {

struct FirstNightPlan {
  int benchmarks = 0;  ///< of the worker
  int cases = 0;       ///< on the CPU
  int processes = 5;   ///< of each case and build
  int cpus = 1;        ///< that compile
  bool cuda = false;   ///< the wheels bring it
};

struct FirstNightCost {
  std::chrono::seconds install{}, compile{}, measure{};
  std::uint64_t disk_bytes = 0;  ///< environments of both nightlies; pip keeps their wheels besides
  std::chrono::seconds whole() const { return install + compile + measure; }
};

/// Two nightlies are installed, a worker is compiled for each, and each case is measured on both. The cases on a GPU
/// are not in it, nor is what a regression adds.
FirstNightCost first_night(const FirstNightPlan& plan);

}  // namespace tbci::settings
