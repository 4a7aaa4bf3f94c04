#include "detect/predict/call_graph.hpp"

#include "detect/timeline/categories.hpp"
#include "tests/catch.hpp"

namespace tbci::call_graph_test {

using detect::CallEdge;
using detect::CallGraph;
using detect::CallTensor;
using detect::RecordedCall;
using detect::RecordedIteration;
using Edges = std::vector<CallEdge>;
constexpr auto lane = detect::CallEdgeKind::lane;
constexpr auto data = detect::CallEdgeKind::data;
constexpr auto autograd = detect::CallEdgeKind::autograd;

namespace {

using Storages = std::vector<std::int64_t>;

std::vector<CallTensor> tensors(const Storages& storages, bool written = false) {
  std::vector<CallTensor> made;
  for (const std::int64_t storage : storages) made.push_back({.storage = storage, .written = written});
  return made;
}

// Adds a model's own call.
RecordedCall& add(RecordedIteration& recorded, double begin, const Storages& inputs, const Storages& outputs) {
  RecordedCall call;
  call.begin = begin;
  call.inputs = tensors(inputs);
  call.outputs = tensors(outputs);
  call.end = recorded.calls.size() + 1;
  recorded.calls.push_back(call);
  return recorded.calls.back();
}

}  // namespace

TEST_CASE("Call graph: calls of one thread follow each other", "[detect]") {
  RecordedIteration recorded;
  add(recorded, 0, {}, {});
  add(recorded, 5, {}, {});
  add(recorded, 9, {}, {});
  const CallGraph graph = detect::graph_of(recorded);
  CHECK(graph.nodes == std::vector<std::size_t>{0, 1, 2});
  CHECK(graph.edges == Edges{{0, 1, lane}, {1, 2, lane}});
}

TEST_CASE("Call graph: a call waits for what last wrote to or returned its storages, on any thread", "[detect]") {
  RecordedIteration recorded;
  add(recorded, 0, {1}, {2});
  add(recorded, 20, {2, 3}, {4});
  add(recorded, 5, {2}, {}).inputs[0].written = true;  // in place, on another thread, after the first call began
  recorded.calls.back().lane = 1;
  const CallGraph graph = detect::graph_of(recorded);
  CHECK(graph.nodes == std::vector<std::size_t>{0, 2, 1});  // by their begin
  CHECK(graph.edges == Edges{{0, 1, data}, {0, 2, lane}, {1, 2, data}});
}

TEST_CASE("Call graph: two reads of one storage do not wait for each other, and 0 is not a storage", "[detect]") {
  RecordedIteration recorded;
  add(recorded, 0, {}, {1, 0});
  for (const std::size_t other : {1U, 2U}) {
    add(recorded, static_cast<double>(other), {1, 0, 1}, {});
    recorded.calls.back().lane = other;
  }
  CHECK(detect::graph_of(recorded).edges == Edges{{0, 1, data}, {0, 2, data}});
}

TEST_CASE("Call graph: what a node of the backward pass calls waits for its forward call", "[detect]") {
  RecordedIteration recorded;
  add(recorded, 0, {}, {});
  recorded.calls[0].end = 2;
  RecordedCall inner;  // the number is of a call within the model's own one
  inner.parent = 0;
  inner.end = 2;
  inner.sequence = 42;
  recorded.calls.push_back(inner);
  add(recorded, 10, {}, {}).forward = 42;
  recorded.calls.back().lane = 1;
  add(recorded, 12, {}, {}).forward = 43;
  recorded.calls.back().lane = 2;
  const CallGraph graph = detect::graph_of(recorded);
  CHECK(graph.nodes == std::vector<std::size_t>{0, 2, 3});
  CHECK(graph.edges == Edges{{0, 1, autograd}});
}

TEST_CASE("Call graph: a call of the backward pass is the forward one of a second derivative", "[detect]") {
  RecordedIteration recorded;
  add(recorded, 0, {}, {}).sequence = 7;
  add(recorded, 10, {}, {}).forward = 7;
  recorded.calls.back().sequence = 8;
  add(recorded, 20, {}, {}).forward = 8;
  add(recorded, 30, {}, {}).forward = 9;
  recorded.calls.back().sequence = 7;  // of a thread that counts apart: does not stand for the forward call
  add(recorded, 40, {}, {}).forward = 7;
  add(recorded, 50, {}, {}).sequence = 100;  // makes two nodes
  add(recorded, 60, {}, {}).sequence = 102;
  add(recorded, 70, {}, {}).forward = 101;
  add(recorded, 80, {}, {}).forward = 103;
  add(recorded, 90, {}, {}).forward = 6;
  Edges found;
  for (const CallEdge& edge : detect::graph_of(recorded).edges) {
    if (edge.kind == autograd) found.push_back(edge);
  }
  CHECK(found == Edges{{0, 1, autograd}, {1, 2, autograd}, {0, 4, autograd}, {5, 7, autograd}});
}

TEST_CASE("Call graph: a collective is between the call that began it and the wait for it, and follows none",
          "[detect]") {
  RecordedIteration recorded;
  const auto named = [&](const char* name, double begin, const Storages& storages) {
    RecordedCall& call = add(recorded, begin, storages, {});
    call.name = name;
    call.inputs[0].written = true;
    if (detect::is_collective(name)) call.lane = 1;
  };
  named("c10d.alltoall_base_.default", 0, {1, 2});
  named("c10d.allreduce_.default", 10, {3});
  named("gloo.wait", 20, {1});
  named("aten.mul_.Tensor", 60, {3});    // it should wait first, but then it is its fault
  named("gloo.all_to_all", 30, {1, 2});  // its thread comes late
  named("gloo.all_reduce", 12, {3});
  named("gloo.barrier", 13, {9});  // nothing recorded began it
  const CallGraph graph = detect::graph_of(recorded);
  CHECK(graph.nodes == std::vector<std::size_t>{0, 4, 1, 5, 6, 2, 3});
  CHECK(graph.edges ==
        Edges{{0, 1, data}, {0, 2, lane}, {2, 3, data}, {2, 5, lane}, {1, 5, data}, {5, 6, lane}, {3, 6, data}});
}

}  // namespace tbci::call_graph_test
