#include "detect/predict/critical_path.hpp"

#include <algorithm>

namespace tbci::detect {

namespace {

struct PathState {
  double begin = 0;
  std::ptrdiff_t decided_by = -1;  // the edge that it had to wait for
  std::size_t open = 0;            // edges to it whose begin is not known
};

// The edges by the node that they leave, as ranges of one list.
struct EdgesOut {
  std::vector<std::size_t> edges, first;
};

EdgesOut edges_out(std::size_t nodes, std::span<const PathEdge> edges) {
  EdgesOut out;
  out.first.resize(nodes + 1);
  for (const PathEdge& edge : edges) ++out.first[edge.from + 1];
  for (std::size_t i = 0; i < nodes; ++i) out.first[i + 1] += out.first[i];
  std::vector<std::size_t> next(out.first.begin(), out.first.end() - 1);
  out.edges.resize(edges.size());
  for (std::size_t i = 0; i < edges.size(); ++i) out.edges[next[edges[i].from]++] = i;
  return out;
}

// In an order in which each node comes after all that it depends on. Returns how many there were.
std::size_t visit_in_order(std::span<const double> lengths, std::span<const PathEdge> edges,
                           std::vector<PathState>& states) {
  const EdgesOut out = edges_out(lengths.size(), edges);
  std::vector<std::size_t> ready;
  for (std::size_t i = lengths.size(); i-- > 0;) {
    if (states[i].open == 0) ready.push_back(i);
  }
  std::size_t visited = 0;
  while (!ready.empty()) {
    const std::size_t node = ready.back();
    ready.pop_back();
    ++visited;
    for (std::size_t i = out.first[node]; i < out.first[node + 1]; ++i) {
      const std::size_t number = out.edges[i];
      const PathEdge& edge = edges[number];
      PathState& to = states[edge.to];
      const double begin = states[node].begin + lengths[node] + edge.delay;
      const bool first = to.decided_by < 0;
      const bool tie = !first && begin == to.begin && node < edges[static_cast<std::size_t>(to.decided_by)].from;
      if ((first && begin >= to.begin) || begin > to.begin || tie) {
        to.begin = begin;
        to.decided_by = static_cast<std::ptrdiff_t>(number);
      }
      if (--to.open == 0) ready.push_back(edge.to);
    }
  }
  return visited;
}

// From a node that is open back to one that is visited twice: that one is in a cycle.
std::size_t node_of_a_cycle(std::span<const PathEdge> edges, const std::vector<PathState>& states) {
  std::vector<std::size_t> waits_for(states.size());
  std::size_t node = 0;
  for (const PathEdge& edge : edges) {
    if (states[edge.from].open == 0 || states[edge.to].open == 0) continue;
    waits_for[edge.to] = edge.from;
    node = edge.to;
  }
  for (std::size_t i = 0; i < states.size(); ++i) node = waits_for[node];
  return node;
}

}  // namespace

Result<CriticalPath> critical_path(std::span<const double> lengths, std::span<const PathEdge> edges) {
  std::vector<PathState> states(lengths.size());
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (edges[i].from >= lengths.size() || edges[i].to >= lengths.size())
      return fail(ErrorKind::failed, "edge {} of the graph is of a node that is not there", i);
    ++states[edges[i].to].open;
  }
  if (visit_in_order(lengths, edges, states) < lengths.size())
    return fail(ErrorKind::failed, "the graph has a cycle: node {} waits for itself", node_of_a_cycle(edges, states));
  CriticalPath path;
  std::ptrdiff_t last = -1;
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    const double end = states[i].begin + lengths[i];
    if (last >= 0 && end <= path.length) continue;
    path.length = end;
    last = static_cast<std::ptrdiff_t>(i);
  }
  while (last >= 0) {
    const auto node = static_cast<std::size_t>(last);
    path.nodes.push_back(node);
    const std::ptrdiff_t edge = states[node].decided_by;
    last = edge < 0 ? -1 : static_cast<std::ptrdiff_t>(edges[static_cast<std::size_t>(edge)].from);
  }
  std::ranges::reverse(path.nodes);
  return path;
}

}  // namespace tbci::detect
