#include "suite/timeline/edges.hpp"

#include "suite/timeline/lines.hpp"
#include "tests/suite/timeline/made_calls.hpp"
#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite::edges_test {

using test::MadeCalls;
using Edges = std::vector<GraphEdge>;
using Nodes = std::vector<std::size_t>;
constexpr auto lane = EdgeKind::lane;
constexpr auto data = EdgeKind::data;
constexpr auto autograd = EdgeKind::autograd;
constexpr auto launch = EdgeKind::launch;

namespace {

// LibTorch prints any vector, and knows no edge.
std::string text(const Edges& edges) {
  std::string all;
  for (const GraphEdge& edge : edges)
    all += std::to_string(edge.from) + ">" + std::to_string(edge.to) + " " + to_string(edge.kind) + "; ";
  return all;
}

}  // namespace

TEST_CASE("Graph: the calls of one thread follow each other, and those within a call are none of them", "[suite]") {
  MadeCalls made;
  made.add("aten.linear.default", 0, 10);
  made.add("aten.mm.default", 2, 5);
  made.add("MmBackward0", 10, 10);
  made.add("aten.t.default", 12, 3);  // of a node: the model's own
  made.add("aten.mm.default", 15, 5);
  made.add("aten.add.Tensor", 30, 5).thread = 1;
  const CallEdges graph = edges_of(made.timeline);
  CHECK(graph.nodes == Nodes{0, 3, 4, 5});
  CHECK(text(graph.edges) == text({{0, 3, lane}, {3, 4, lane}}));
}

TEST_CASE("Graph: a call waits for what last wrote to or returned its storages, on any thread", "[suite]") {
  MadeCalls made;
  made.add("aten.mm.default", 0, 5, {1}, {2});
  made.add("aten.add.Tensor", 20, 5, {2, 3, 2}, {4});
  made.add("aten.add.Tensor", 30, 5, {2}, {5});                               // two reads do not wait for each other
  made.add("aten.mul_.Tensor", 5, 5, {2}).inputs = test::uses_of({2}, true);  // in place, on another thread
  made.timeline.calls.back().thread = 1;
  made.add("aten.neg.default", 50, 5, {2}).inputs.push_back({});  // an undefined tensor
  made.timeline.calls.back().thread = 2;
  const CallEdges graph = edges_of(made.timeline);
  CHECK(graph.nodes == Nodes{0, 3, 1, 2, 4});
  CHECK(text(graph.edges) ==
        text({{0, 1, lane}, {3, 1, data}, {1, 2, lane}, {3, 2, data}, {0, 3, data}, {3, 4, data}}));
}

TEST_CASE("Graph: what a node of the backward pass calls waits for its forward call", "[suite]") {
  MadeCalls made;
  made.add("aten.linear.default", 0, 10).sequence = 41;
  made.add("aten.addmm.default", 2, 5).sequence = 42;  // within the model's own call
  made.add("aten.neg.default", 10, 5).sequence = 43;   // has no node, so the next one has the number again
  made.add("aten.mul.Tensor", 15, 5).sequence = 43;
  made.add("MulBackward0", 20, 10).sequence = 43;
  made.add("aten.mul.Tensor", 22, 5).sequence = 44;  // its own number is for a second derivative
  made.add("AddmmBackward0", 30, 10).sequence = 42;
  made.add("aten.mm.default", 32, 5).sequence = 42;  // does not stand for the forward call
  made.add("AddmmBackward0", 40, 10).sequence = 42;
  made.add("aten.mm.default", 42, 5);
  made.add("MulBackward0", 50, 10).sequence = 44;
  made.add("aten.mul.Tensor", 52, 5);
  made.add("aten.copy_.default", 70, 5).sequence = 100;  // makes two nodes
  made.add("aten.add.Tensor", 75, 5).sequence = 102;
  made.add("CopySlices", 80, 10).sequence = 101;
  made.add("aten.clone.default", 82, 5);
  for (const std::int64_t number : {7, 103}) {  // nothing recorded made these
    made.add("SumBackward0", 80 + number, 10).sequence = number;
    made.add("aten.expand.default", 82 + number, 5);
  }
  Edges found;
  for (const GraphEdge& edge : edges_of(made.timeline).edges) {
    if (edge.kind == autograd) found.push_back(edge);
  }
  CHECK(text(found) ==
        text({{3, 5, autograd}, {0, 7, autograd}, {0, 9, autograd}, {5, 11, autograd}, {12, 15, autograd}}));
}

TEST_CASE("Graph: a collective stands between the call that began it and the wait for it", "[suite]") {
  MadeCalls made;
  made.add("c10d.allreduce_.default", 0, 10, {1}).inputs[0].written = true;
  made.add("gloo.wait", 20, 50, {1}).inputs[0].written = true;
  made.add("aten.add.Tensor", 70, 5, {1}, {2});
  made.add("gloo.all_reduce", 30, 30, {1}).inputs[0].written = true;  // its thread comes late
  made.timeline.calls.back().thread = 1;
  const CallEdges graph = edges_of(made.timeline);
  CHECK(graph.nodes == Nodes{0, 3, 1, 2});
  CHECK(text(graph.edges) == text({{0, 1, lane}, {3, 1, data}, {1, 2, lane}, {1, 2, data}, {0, 3, data}}));
}

TEST_CASE("Graph: a GPU's work follows on its stream, and the call that launched it", "[suite]") {
  MadeCalls made;
  made.add("aten.linear.default", 0, 10);
  made.add("aten.addmm.default", 2, 5);
  made.add("SumBackward0", 20, 10);
  made.timeline.work = {
      {false, 40, 5, 1, 7}, {true, 4, 5, 0, 13}, {false, 8, 20, 1, 7}, {false, 60, 5, 2, 7}, {false, 70, 5, -1, 7}};
  const CallEdges graph = edges_of(made.timeline);
  CHECK(graph.nodes == Nodes{0});
  CHECK(text(graph.edges) ==
        text({{5, 3, lane}, {0, 3, launch}, {0, 4, launch}, {0, 5, launch}, {3, 6, lane}, {6, 7, lane}}));
}

TEST_CASE("Graph: its lines have the timeline, the nodes and the edges", "[suite]") {
  MadeCalls made;
  made.timeline.tensors.clear();
  made.add("aten.mm.default", 0, 5);
  made.add("aten.mm.default", 5, 5);
  made.timeline.work = {{false, 6, 2, 1, 7}};
  made.timeline.iterations = {{0, 10, 9, 11, 0, 0}};
  std::vector<std::string> lines;
  write_graph(made.timeline, [&](const std::string& line) { lines.push_back(line); });
  CHECK(lines == std::vector<std::string>{R"({"type":"names","names":["aten.mm.default"]})",
                                          R"({"type":"iterations","iterations":[[0,10,9,11,0,0]]})",
                                          R"({"type":"calls","calls":[[0,0,0,5,0,0,-1,0],[0,0,5,5,0,0,-1,0]]})",
                                          R"({"type":"work","work":[[0,6,2,1]]})",
                                          R"({"type":"streams","streams":[7]})", R"({"type":"nodes","nodes":[0,1]})",
                                          R"({"type":"edges","edges":[[0,1,"lane"],[1,2,"launch"]]})",
                                          R"({"type":"graph","calls":2,"work":1,"cut_off":0,"nodes":2,"edges":2})"});
}

}  // namespace tbci::suite::edges_test
