#include "suite/backends/onednn_graph.hpp"

#include "tests/suite/torch_and_catch.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>

namespace tbci::suite::onednn_graph_test {

namespace {

namespace jit = torch::jit;

std::shared_ptr<jit::Graph> suited(const std::string& text) {
  auto graph = std::make_shared<jit::Graph>();
  jit::parseIR(text, graph.get());
  suit_onednn_graph(*graph);
  graph->lint();
  return graph;
}

const jit::Node* node_named(const jit::Graph& graph, const std::string& name) {
  for (const jit::Node* node : graph.nodes()) {
    if (node->kind().toQualString() == name) return node;
  }
  FAIL("no node " << name << " in " << graph.toString());
  return nullptr;
}

std::vector<std::int64_t> list(const jit::Node* node, std::size_t input) {
  return jit::toIValue(node->input(input)).value().toIntVector();
}

std::size_t count(const jit::Graph& graph, const std::string& name) {
  std::size_t found = 0;
  for (const jit::Node* node : graph.nodes()) found += node->kind().toQualString() == name ? 1 : 0;
  return found;
}

}  // namespace

TEST_CASE("oneDNN's graph: a pooling has a number for each dimension, and the stride is the kernel if there is none",
          "[onednn-graph]") {
  const auto graph = suited(R"(graph(%x : Tensor):
    %kernel : int[] = prim::Constant[value=[3]]()
    %stride : int[] = prim::Constant[value=annotate(List[int], [])]()
    %padding : int[] = prim::Constant[value=[1]]()
    %dilation : int[] = prim::Constant[value=[2, 1]]()
    %ceil : bool = prim::Constant[value=0]()
    %y : Tensor = aten::max_pool2d(%x, %kernel, %stride, %padding, %dilation, %ceil)
    return (%y))");
  const jit::Node* pooling = node_named(*graph, "aten::max_pool2d");
  CHECK(list(pooling, 1) == std::vector<std::int64_t>{3, 3});
  CHECK(list(pooling, 2) == std::vector<std::int64_t>{3, 3});
  CHECK(list(pooling, 3) == std::vector<std::int64_t>{1, 1});
  CHECK(list(pooling, 4) == std::vector<std::int64_t>{2, 1});
}

TEST_CASE("oneDNN's graph: a convolution has a number for each dimension of its weights", "[onednn-graph]") {
  jit::Graph graph;
  jit::parseIR(R"(graph(%x : Tensor, %weight : Tensor):
    %none : NoneType = prim::Constant()
    %two : int[] = prim::Constant[value=[2]]()
    %no : bool = prim::Constant[value=0]()
    %groups : int = prim::Constant[value=1]()
    %y : Tensor = aten::_convolution(%x, %weight, %none, %two, %two, %two, %no, %two, %groups, %no, %no, %no, %no)
    return (%y))",
               &graph);
  {
    const jit::WithInsertPoint at_begin(*graph.nodes().begin());
    graph.inputs().at(1)->replaceAllUsesWith(graph.insertConstant(torch::ones({4, 3, 5, 5})));
  }
  suit_onednn_graph(graph);
  const jit::Node* convolution = node_named(graph, "aten::_convolution");
  for (const std::size_t input : {3U, 4U, 5U, 7U}) {
    CAPTURE(input);
    CHECK(list(convolution, input) == std::vector<std::int64_t>{2, 2});
  }
}

TEST_CASE("oneDNN's graph: a cat of whole numbers is LibTorch's own, and one of fractions stays", "[onednn-graph]") {
  const auto graph = suited(R"(graph(%i : Long(2), %f : Float(2), %unknown : Tensor):
    %dim : int = prim::Constant[value=0]()
    %whole : Tensor[] = prim::ListConstruct(%i, %i)
    %fractions : Tensor[] = prim::ListConstruct(%f, %unknown)
    %a : Tensor = aten::cat(%whole, %dim)
    %b : Tensor = aten::cat(%fractions, %dim)
    return (%a, %b))");
  CHECK(count(*graph, "aten::cat") == 1);
  const jit::Node* concat = node_named(*graph, "aten::concat");
  CHECK(concat->output() == graph->outputs().at(0));
  CHECK(concat->input(0)->node()->input(0)->debugName() == "i");
}

}  // namespace tbci::suite::onednn_graph_test
