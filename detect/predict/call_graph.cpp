#include "detect/predict/call_graph.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "detect/timeline/categories.hpp"

namespace tbci::detect {

namespace {

class GraphMaker {
 public:
  explicit GraphMaker(const RecordedIteration& recorded) : recorded_(recorded) {
    for (std::size_t i = 0; i < recorded.calls.size(); i = recorded.calls[i].end) graph_.nodes.push_back(i);
    std::ranges::stable_sort(graph_.nodes, {}, [&](std::size_t i) { return recorded.calls[i].begin; });
    put_collectives_after_their_begin();
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
  // That is the last call of c10d before it that has a storage of it.
  void put_collectives_after_their_begin() {
    std::map<std::int64_t, std::size_t> begun;                  // by storage: a place among the nodes
    std::map<std::size_t, std::pair<std::size_t, int>> places;  // by node
    for (std::size_t at = 0; at < graph_.nodes.size(); ++at) {
      const RecordedCall& call = recorded_.calls[graph_.nodes[at]];
      places[graph_.nodes[at]] = {at, 0};
      std::optional<std::size_t> last;
      for (const CallTensor& input : call.inputs) {
        if (input.storage == 0) continue;
        if (begins_collective(call.name)) begun[input.storage] = at;
        if (const auto found = begun.find(input.storage); found != begun.end())
          last = std::max(last, std::optional(found->second));
      }
      if (last && is_collective(call.name)) places[graph_.nodes[at]] = {*last, 1};
    }
    std::ranges::stable_sort(graph_.nodes, {}, [&](std::size_t i) { return places[i]; });
  }

  void add(std::size_t node) {
    const RecordedCall& call = recorded_.calls[graph_.nodes[node]];
    if (!is_collective(call.name)) {
      if (const auto before = last_of_lane_.find(call.lane); before != last_of_lane_.end())
        edge(before->second, node, CallEdgeKind::lane);
      last_of_lane_[call.lane] = node;
    }
    for (const CallTensor& input : call.inputs) {
      const auto made = maker_.find(input.storage);
      if (input.storage != 0 && made != maker_.end()) edge(made->second, node, CallEdgeKind::data);
    }
    if (const auto forward = forward_call(call.forward)) edge(*forward, node, CallEdgeKind::autograd);
    keep(node, call);
  }

  // A call has the number that its first node gets. One that makes several, as a write to a view does, has those up to
  // the next call's.
  std::optional<std::size_t> forward_call(std::int64_t number) const {
    const auto above = forward_.upper_bound(number);
    if (number < 0 || above == forward_.begin()) return std::nullopt;
    const auto found = std::prev(above);
    return found->first == number || above != forward_.end() ? std::optional(found->second) : std::nullopt;
  }

  // What later calls find of this one.
  void keep(std::size_t node, const RecordedCall& call) {
    for (const CallTensor& input : call.inputs) {
      if (input.written) maker_[input.storage] = node;
    }
    for (const CallTensor& output : call.outputs) maker_[output.storage] = node;
    for (std::size_t i = graph_.nodes[node]; i < call.end; ++i) {
      if (recorded_.calls[i].sequence < 0) continue;
      const auto [forward, is_new] = forward_.try_emplace(recorded_.calls[i].sequence, node);
      // One of the backward pass has numbers of its own, for a second derivative. Another thread may count apart.
      if (!is_new && call.forward < 0) forward->second = node;
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
