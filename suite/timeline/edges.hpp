// What waits for what in a timeline. Pure.
#pragma once

#include <cstddef>
#include <tuple>
#include <vector>

#include "suite/timeline/timeline.hpp"

namespace tbci::suite {

enum class EdgeKind {
  lane,      // what comes before it on its thread, or on its stream of a GPU
  data,      // a storage that it is given: from the call that last wrote to it or returned it
  autograd,  // from a forward call to what its node of the backward pass calls
  launch,    // from a call to the work of a GPU that it, or a call within it, launched
};
const char* to_string(EdgeKind kind);

// Numbers of Timeline::calls, and after them those of Timeline::work.
struct GraphEdge {
  std::size_t from = 0, to = 0;
  EdgeKind kind = EdgeKind::lane;
  bool operator==(const GraphEdge& other) const {
    return std::tie(from, to, kind) == std::tie(other.from, other.to, other.kind);
  }
};

// The graph of a timeline of one iteration.
struct CallEdges {
  std::vector<std::size_t> nodes;  // the model's own calls, which no operator has called, in the order of their begin
  std::vector<GraphEdge> edges;    // each once, by what they lead to
};

// A collective stands right after the call that began it: its thread may come to it only when another one waits for it
// already.
CallEdges edges_of(const Timeline& timeline);

}  // namespace tbci::suite
