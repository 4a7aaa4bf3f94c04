// The model's own calls of one iteration, and what each of them waits for. Pure; safe from any thread.
#pragma once

#include <compare>
#include <cstddef>
#include <string_view>
#include <vector>

#include "detect/predict/recorded_calls.hpp"

namespace tbci::detect {

enum class CallEdgeKind {
  lane,      ///< the call before it on its thread; Gloo has several for collectives, so those follow none
  data,      ///< a storage that it is given, of the call that last wrote to it or returned it
  autograd,  ///< from a forward call to what its node of the backward pass calls
};
/// `lane`.
std::string_view to_string(CallEdgeKind kind);

/// Numbers are places in CallGraph::nodes.
struct CallEdge {
  std::size_t from = 0, to = 0;
  CallEdgeKind kind = CallEdgeKind::lane;
  auto operator<=>(const CallEdge&) const = default;
};

struct CallGraph {
  std::vector<std::size_t> nodes;  ///< places in RecordedIteration::calls, by their begin; see graph_of
  std::vector<CallEdge> edges;     ///< each once, by the node that they lead to
};

/// Edges lead from what began earlier to what began later. A collective stands right after the call that began it: its
/// thread may come to it only when another one waits for it already.
CallGraph graph_of(const RecordedIteration& recorded);

}  // namespace tbci::detect
