// Graphs of networks and models that run.
#include <map>
#include <set>

#include "suite/registry.hpp"
#include "suite/timeline/communication.hpp"
#include "suite/timeline/edges.hpp"
#include "tests/suite/ranks/worker.hpp"
#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite::graph_test {

namespace {

class Network final : public Workload {
 public:
  explicit Network(std::function<void()> work) : work_(std::move(work)) {}
  void iterate() override { work_(); }
  Tensors results() const override { return {}; }
  Tensors parameters() const override { return {}; }

 private:
  std::function<void()> work_;
};

struct Recorded {
  Timeline timeline;
  CallEdges graph;

  std::string name(std::size_t call) const { return timeline.names[timeline.calls[call].name]; }
  std::int64_t begin(std::size_t call) const { return timeline.calls[call].begin; }
  std::int64_t end(std::size_t call) const { return timeline.calls[call].begin + timeline.calls[call].length; }
};

Recorded graph_of(Workload& workload) {
  Recorded recorded{record_timeline(workload, {DeviceKind::cpu, 0, 1}), {}};
  recorded.graph = edges_of(recorded.timeline);
  return recorded;
}

using NamedEdges = std::set<std::pair<std::string, std::string>>;

// By the base of an operator's name, with its number among those of that name: `mm1`.
NamedEdges named_edges(const Recorded& recorded, EdgeKind kind) {
  std::map<std::size_t, std::string> names;
  std::map<std::string, int> seen;
  for (const std::size_t node : recorded.graph.nodes) {
    const std::string name = recorded.name(node), base = name.substr(5, name.find('.', 5) - 5);
    names[node] = base + std::to_string(++seen[base]);
  }
  NamedEdges edges;
  for (const GraphEdge& edge : recorded.graph.edges) {
    if (edge.kind == kind) edges.emplace(names.at(edge.from), names.at(edge.to));
  }
  return edges;
}

// The calls in one of the model's own, itself too, by autograd's numbers.
std::set<std::int64_t> sequences_in(const Recorded& recorded, std::size_t node) {
  std::set<std::int64_t> numbers;
  for (std::size_t i = node; i < recorded.timeline.calls.size(); ++i) {
    const TimelineCall& call = recorded.timeline.calls[i];
    if (i > node && (call.thread != recorded.timeline.calls[node].thread || recorded.begin(i) >= recorded.end(node)))
      break;
    if (call.sequence >= 0) numbers.insert(call.sequence);
  }
  return numbers;
}

// The node of the backward pass that made the call; below 0: none.
std::ptrdiff_t backward_node_of(const Recorded& recorded, std::size_t node) {
  for (std::size_t i = node; i-- > 0;) {
    if (recorded.end(i) < recorded.end(node) ||
        recorded.timeline.calls[i].thread != recorded.timeline.calls[node].thread)
      continue;
    return recorded.name(i).find('.') == std::string::npos ? static_cast<std::ptrdiff_t>(i) : -1;
  }
  return -1;
}

void check_backward(const Recorded& recorded) {
  std::map<std::size_t, std::size_t> forward;
  for (const GraphEdge& edge : recorded.graph.edges) {
    if (edge.kind != EdgeKind::autograd) continue;
    CHECK(forward.emplace(edge.to, edge.from).second);
  }
  std::size_t backward = 0;
  for (const std::size_t node : recorded.graph.nodes) {
    const std::ptrdiff_t made_by = backward_node_of(recorded, node);
    if (made_by < 0 || recorded.timeline.calls[static_cast<std::size_t>(made_by)].sequence < 0) continue;
    const std::int64_t number = recorded.timeline.calls[static_cast<std::size_t>(made_by)].sequence;
    CAPTURE(recorded.name(node), recorded.name(static_cast<std::size_t>(made_by)), number);
    ++backward;
    const auto from = forward.find(node);
    CHECK(from != forward.end());
    if (from == forward.end()) continue;
    // A write to a view makes a second node, which has the number after the call's.
    const auto numbers = sequences_in(recorded, from->second);
    CHECK((numbers.count(number) == 1 ||
           (recorded.name(static_cast<std::size_t>(made_by)) == "CopySlices" && numbers.count(number - 1) == 1)));
  }
  CHECK(backward > 0);
}

// A thread does one thing after another, and nothing waits for what is yet to come. A wait begins before what it waits
// for has ended, and the thread of a collective begins before the call that began it has returned.
void check_times(const Recorded& recorded) {
  std::map<std::size_t, std::size_t> threads, in_lanes;
  for (const std::size_t node : recorded.graph.nodes) ++threads[recorded.timeline.calls[node].thread];
  for (const GraphEdge& edge : recorded.graph.edges) {
    CAPTURE(recorded.name(edge.from), recorded.name(edge.to), to_string(edge.kind));
    if (edge.kind == EdgeKind::lane) ++in_lanes[edge.to];
    if (is_collective(recorded.name(edge.to)) && edge.kind == EdgeKind::data) {
      CHECK(recorded.begin(edge.from) <= recorded.begin(edge.to));
    } else if (is_collective(recorded.name(edge.from)) && edge.kind == EdgeKind::data) {
      CHECK(recorded.end(edge.from) <= recorded.end(edge.to));
    } else {
      CHECK(recorded.end(edge.from) <= recorded.begin(edge.to));
    }
  }
  std::size_t chained = 0;
  for (const auto& [to, count] : in_lanes) {
    CHECK(count == 1);
    chained += count;
  }
  CHECK(chained == recorded.graph.nodes.size() - threads.size());
}

}  // namespace

TEST_CASE("Graph: the data edges of a small network are those that it has", "[suite]") {
  const auto x = torch::ones({4, 4}), v = torch::ones({4, 4}), w = torch::ones({4, 4});
  Network network([&] {
    const torch::NoGradGuard no_gradients;
    const auto hidden = torch::relu(torch::mm(x, v));
    auto y = torch::mm(hidden, w);
    y.mul_(hidden);
    const auto z = y.add(hidden);
    z.view({16}).neg();
    torch::mm(x, w);
  });
  const Recorded recorded = graph_of(network);
  CHECK(named_edges(recorded, EdgeKind::data) == NamedEdges{{"mm1", "relu1"},
                                                            {"relu1", "mm2"},
                                                            {"mm2", "mul_1"},
                                                            {"relu1", "mul_1"},
                                                            {"mul_1", "add1"},
                                                            {"relu1", "add1"},
                                                            {"add1", "view1"},
                                                            {"view1", "neg1"}});
  CHECK(named_edges(recorded, EdgeKind::autograd).empty());
  check_times(recorded);
}

TEST_CASE("Graph: each operator of a backward pass follows the forward one that it belongs to", "[suite]") {
  const auto x = torch::ones({4, 4}), w = torch::ones({4, 4}).requires_grad_();
  Network network([&] {
    torch::mm(x, w).tanh().sum().backward();
    w.mutable_grad() = torch::Tensor();
  });
  const Recorded recorded = graph_of(network);
  const NamedEdges edges = named_edges(recorded, EdgeKind::autograd);
  CHECK(edges.count({"sum1", "expand1"}) == 1);
  CHECK(edges.count({"tanh1", "tanh_backward1"}) == 1);
  CHECK(edges.count({"mm1", "mm2"}) == 1);
  check_backward(recorded);
  check_times(recorded);
}

TEST_CASE("Graph: in models too, and no edge leads back in time", "[suite]") {
  for (const char* name : {"dlrm", "lennard_jones", "soft_actor_critic", "BERT_pytorch", "resnet18", "tacotron2"}) {
    CAPTURE(name);
    const Benchmark* benchmark = find_benchmark(name);
    REQUIRE(benchmark != nullptr);
    const auto workload = benchmark->make({Mode::train, Size::ci, 4, torch::Device(torch::kCPU)});
    workload->iterate();
    const Recorded recorded = graph_of(*workload);
    CHECK(recorded.timeline.calls.size() > 100);
    CHECK_FALSE(recorded.timeline.cut_off);
    check_backward(recorded);
    check_times(recorded);
  }
}

TEST_CASE("Graph: Gloo's threads are lanes, between the call that begins a collective and the wait", "[suite]") {
  const Benchmark* benchmark = find_benchmark("dlrm_hybrid");
  if (benchmark == nullptr) return;
  const test::RanksOfTests ranks_of_tests;
  Setup setup{Mode::train, Size::ci, 64, torch::Device(torch::kCPU)};
  setup.ranks = 2;
  const auto workload = benchmark->make(setup);
  workload->iterate();
  const Recorded recorded = graph_of(*workload);
  std::map<std::size_t, std::vector<std::string>> before, after;  // of each collective
  for (const GraphEdge& edge : recorded.graph.edges) {
    if (edge.kind != EdgeKind::data) continue;
    if (is_collective(recorded.name(edge.to))) before[edge.to].push_back(recorded.name(edge.from));
    if (is_collective(recorded.name(edge.from))) after[edge.from].push_back(recorded.name(edge.to));
  }
  std::map<std::string, std::size_t> collectives;
  std::size_t waited_for = 0;
  for (const std::size_t node : recorded.graph.nodes) {
    if (!is_collective(recorded.name(node))) continue;
    ++collectives[recorded.name(node)];
    CHECK(recorded.timeline.calls[node].thread > 0);
    CHECK(std::any_of(before[node].begin(), before[node].end(),
                      [](const std::string& name) { return begins_collective(name); }));
    if (after[node] == std::vector<std::string>{"gloo.wait"}) ++waited_for;
  }
  // The rows of the next batch are waited for in the next iteration.
  CHECK(collectives == std::map<std::string, std::size_t>{{"gloo.all_reduce", 1}, {"gloo.all_to_all", 4}});
  CHECK(waited_for == 4);
  check_backward(recorded);
  check_times(recorded);
}

}  // namespace tbci::suite::graph_test
