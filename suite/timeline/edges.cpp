#include "suite/timeline/edges.hpp"

#include <algorithm>
#include <iterator>
#include <map>

#include "suite/timeline/communication.hpp"

namespace tbci::suite {
namespace {

// A node of the backward pass has no dot in its name.
bool is_operator(const Timeline& timeline, std::size_t call) {
  return timeline.names[timeline.calls[call].name].find('.') != std::string::npos;
}

// Where a call stands among those of its thread.
struct Standing {
  std::ptrdiff_t parent = -1;  // the call or node that made it
  std::ptrdiff_t top = -1;     // the model's own call that it is in, or is; below 0: in none
};

std::vector<Standing> standing_of(const Timeline& timeline) {
  std::vector<Standing> all(timeline.calls.size());
  std::map<std::size_t, std::vector<std::size_t>> open;  // by thread
  for (std::size_t i = 0; i < timeline.calls.size(); ++i) {
    const TimelineCall& call = timeline.calls[i];
    auto& inside = open[call.thread];
    while (!inside.empty() && timeline.calls[inside.back()].begin + timeline.calls[inside.back()].length <= call.begin)
      inside.pop_back();
    if (!inside.empty()) {
      all[i].parent = static_cast<std::ptrdiff_t>(inside.back());
      all[i].top = all[inside.back()].top;
    }
    if (all[i].top < 0 && is_operator(timeline, i)) all[i].top = static_cast<std::ptrdiff_t>(i);
    inside.push_back(i);
  }
  return all;
}

class EdgeMaker {
 public:
  explicit EdgeMaker(const Timeline& timeline) : timeline_(timeline), standing_(standing_of(timeline)) {
    find_nodes();
    for (std::size_t i = 0; i < standing_.size(); ++i) {
      if (standing_[i].top >= 0 && timeline.calls[i].sequence >= 0)
        sequences_[static_cast<std::size_t>(standing_[i].top)].push_back(timeline.calls[i].sequence);
    }
  }

  CallEdges run() && {
    for (const std::size_t node : graph_.nodes) {
      add(node);
      keep(node);
    }
    add_lanes();
    add_work();
    const auto key = [](const GraphEdge& edge) { return std::tuple(edge.to, edge.kind, edge.from); };
    std::sort(graph_.edges.begin(), graph_.edges.end(),
              [&](const GraphEdge& a, const GraphEdge& b) { return key(a) < key(b); });
    graph_.edges.erase(std::unique(graph_.edges.begin(), graph_.edges.end()), graph_.edges.end());
    return std::move(graph_);
  }

 private:
  void find_nodes() {
    std::map<std::size_t, std::pair<std::int64_t, int>> place;
    for (std::size_t i = 0; i < standing_.size(); ++i) {
      if (standing_[i].top != static_cast<std::ptrdiff_t>(i)) continue;
      graph_.nodes.push_back(i);
      const std::string& name = timeline_.names[timeline_.calls[i].name];
      const std::ptrdiff_t beginner = is_collective(name) ? beginner_of(timeline_, i) : -1;
      const std::size_t at = beginner < 0 ? i : static_cast<std::size_t>(beginner);
      place[i] = {timeline_.calls[at].begin, beginner < 0 ? 0 : 1};
    }
    std::stable_sort(graph_.nodes.begin(), graph_.nodes.end(),
                     [&](std::size_t a, std::size_t b) { return place[a] < place[b]; });
  }

  std::int64_t storage_of(const TensorUse& use) const {
    return use.tensor < 0 ? 0 : timeline_.tensors[static_cast<std::size_t>(use.tensor)].storage;
  }

  std::int64_t forward_of(std::size_t node) const {
    const std::ptrdiff_t parent = standing_[node].parent;
    return parent < 0 ? -1 : timeline_.calls[static_cast<std::size_t>(parent)].sequence;
  }

  void add(std::size_t node) {
    const TimelineCall& call = timeline_.calls[node];
    for (const TensorUse& input : call.inputs) {
      const auto maker = makers_.find(storage_of(input));
      if (maker != makers_.end()) edge(maker->second, node, EdgeKind::data);
    }
    const std::ptrdiff_t forward = forward_call(forward_of(node));
    if (forward >= 0) edge(static_cast<std::size_t>(forward), node, EdgeKind::autograd);
  }

  // A call has the number that its first node gets. One that makes several, as a write to a view does, has those up to
  // the next call's.
  std::ptrdiff_t forward_call(std::int64_t number) const {
    const auto above = forwards_.upper_bound(number);
    if (number < 0 || above == forwards_.begin()) return -1;
    const auto found = std::prev(above);
    return found->first == number || above != forwards_.end() ? static_cast<std::ptrdiff_t>(found->second) : -1;
  }

  // What later calls find of this one.
  void keep(std::size_t node) {
    const TimelineCall& call = timeline_.calls[node];
    for (const TensorUse& input : call.inputs) {
      if (input.written) made(storage_of(input), node);
    }
    for (const TensorUse& output : call.outputs) made(storage_of(output), node);
    const auto numbers = sequences_.find(node);
    if (numbers == sequences_.end()) return;
    for (const std::int64_t number : numbers->second) {
      const auto [forward, is_new] = forwards_.try_emplace(number, node);
      // One of the backward pass has numbers of its own, for a second derivative. On a GPU its thread counts apart.
      if (!is_new && forward_of(node) < 0) forward->second = node;
    }
  }

  void made(std::int64_t storage, std::size_t node) {
    if (storage != 0) makers_[storage] = node;
  }

  void add_lanes() {
    std::map<std::size_t, std::size_t> last;  // by thread
    for (std::size_t i = 0; i < standing_.size(); ++i) {
      if (standing_[i].top != static_cast<std::ptrdiff_t>(i)) continue;
      const auto before = last.find(timeline_.calls[i].thread);
      if (before != last.end()) edge(before->second, i, EdgeKind::lane);
      last[timeline_.calls[i].thread] = i;
    }
  }

  void add_work() {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < timeline_.work.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return timeline_.work[a].begin < timeline_.work[b].begin; });
    std::map<std::uint32_t, std::size_t> last;  // by stream
    for (const std::size_t i : order) {
      const TimelineWork& work = timeline_.work[i];
      const std::size_t number = timeline_.calls.size() + i;
      const auto before = last.find(work.stream);
      if (before != last.end()) edge(before->second, number, EdgeKind::lane);
      last[work.stream] = number;
      const std::ptrdiff_t top = work.call < 0 ? -1 : standing_[static_cast<std::size_t>(work.call)].top;
      if (top >= 0) edge(static_cast<std::size_t>(top), number, EdgeKind::launch);
    }
  }

  void edge(std::size_t from, std::size_t to, EdgeKind kind) {
    if (from != to) graph_.edges.push_back({from, to, kind});
  }

  const Timeline& timeline_;
  std::vector<Standing> standing_;
  CallEdges graph_;
  std::map<std::size_t, std::vector<std::int64_t>> sequences_;  // of the calls in one of the model's own
  std::map<std::int64_t, std::size_t> makers_;                  // by storage
  std::map<std::int64_t, std::size_t> forwards_;                // by autograd's number
};

}  // namespace

const char* to_string(EdgeKind kind) {
  switch (kind) {
    case EdgeKind::data:
      return "data";
    case EdgeKind::autograd:
      return "autograd";
    case EdgeKind::launch:
      return "launch";
    case EdgeKind::lane:
      break;
  }
  return "lane";
}

CallEdges edges_of(const Timeline& timeline) {
  return EdgeMaker(timeline).run();
}

}  // namespace tbci::suite
