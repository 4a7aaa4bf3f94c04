// The longest path through work that depends on other work. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "base/result.hpp"

namespace tbci::detect {

/// `to` begins no earlier than `delay` after the end of `from`. Nanoseconds.
struct PathEdge {
  std::size_t from = 0, to = 0;
  double delay = 0;
};

struct CriticalPath {
  double length = 0;               ///< nanoseconds from the first begin to the last end
  std::vector<std::size_t> nodes;  ///< that decide it, the first one first; of equal ones those that stand first
};

/// `lengths`: of each node; each begins as soon as all that it depends on has ended. Linear in nodes and edges. Without
/// a node the path has no length. Errors (failed): nodes that depend on each other, with one of them; an edge of a node
/// that is not there.
Result<CriticalPath> critical_path(std::span<const double> lengths, std::span<const PathEdge> edges);

}  // namespace tbci::detect
