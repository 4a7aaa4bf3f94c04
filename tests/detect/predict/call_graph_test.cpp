#include "detect/predict/call_graph.hpp"

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

}  // namespace tbci::call_graph_test
