#include "detect/predict/call_graph.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace tbci::detect {

namespace {

class GraphMaker {
 public:
  explicit GraphMaker(const RecordedIteration& recorded) : recorded_(recorded) {
    for (std::size_t i = 0; i < recorded.calls.size(); i = recorded.calls[i].end) graph_.nodes.push_back(i);
    std::ranges::stable_sort(graph_.nodes, {}, [&](std::size_t i) { return recorded.calls[i].begin; });
  }

  CallGraph run() && {
    for (std::size_t node = 0; node < graph_.nodes.size(); ++node) add(node);
    const auto order = [](const CallEdge& edge) { return std::tuple(edge.to, edge.kind, edge.from); };
    std::ranges::sort(graph_.edges, {}, order);
    const auto twice = std::ranges::unique(graph_.edges);
    graph_.edges.erase(twice.begin(), twice.end());
    return std::move(graph_);
  }

 private:
  void add(std::size_t node) {
    const RecordedCall& call = recorded_.calls[graph_.nodes[node]];
    if (const auto before = last_of_lane_.find(call.lane); before != last_of_lane_.end())
      edge(before->second, node, CallEdgeKind::lane);
    last_of_lane_[call.lane] = node;
    for (const CallTensor& input : call.inputs) {
      const auto made = maker_.find(input.storage);
      if (input.storage != 0 && made != maker_.end()) edge(made->second, node, CallEdgeKind::data);
    }
    if (const auto forward = forward_.find(call.forward); call.forward >= 0 && forward != forward_.end())
      edge(forward->second, node, CallEdgeKind::autograd);
    keep(node, call);
  }

  // What later calls find of this one.
  void keep(std::size_t node, const RecordedCall& call) {
    for (const CallTensor& input : call.inputs) {
      if (input.written) maker_[input.storage] = node;
    }
    for (const CallTensor& output : call.outputs) maker_[output.storage] = node;
    if (call.forward >= 0) return;  // a call of the backward pass has numbers of its own, for a second derivative
    for (std::size_t i = graph_.nodes[node]; i < call.end; ++i) {
      if (recorded_.calls[i].sequence >= 0) forward_[recorded_.calls[i].sequence] = node;
    }
  }

  void edge(std::size_t from, std::size_t to, CallEdgeKind kind) {
    if (from != to) graph_.edges.push_back({from, to, kind});
  }

  const RecordedIteration& recorded_;
  CallGraph graph_;
  std::map<std::size_t, std::size_t> last_of_lane_;
  std::map<std::int64_t, std::size_t> maker_;    // by storage
  std::map<std::int64_t, std::size_t> forward_;  // by autograd's number
};

}  // namespace

std::string_view to_string(CallEdgeKind kind) {
  switch (kind) {
    case CallEdgeKind::data:
      return "data";
    case CallEdgeKind::autograd:
      return "autograd";
    case CallEdgeKind::lane:
      break;
  }
  return "lane";
}

CallGraph graph_of(const RecordedIteration& recorded) {
  return GraphMaker(recorded).run();
}

}  // namespace tbci::detect
