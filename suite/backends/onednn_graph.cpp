#include "suite/backends/onednn_graph.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

namespace tbci::suite {
namespace {

namespace jit = torch::jit;
using IntList = std::vector<std::int64_t>;

std::optional<IntList> list_at(const jit::Node* node, std::size_t input) {
  const auto value = jit::toIValue(node->input(input));
  if (!value || !value->isIntList()) return std::nullopt;
  return value->toIntVector();
}

void put_list(jit::Node* node, std::size_t input, const IntList& numbers) {
  const jit::WithInsertPoint before(node);
  node->replaceInput(input, node->owningGraph()->insertConstant(numbers));
}

void put_for_each(jit::Node* node, std::size_t input, std::size_t dimensions) {
  const auto numbers = list_at(node, input);
  if (numbers && numbers->size() == 1 && dimensions > 1) put_list(node, input, IntList(dimensions, numbers->front()));
}

// (self, kernel_size, stride, padding, dilation or ceil_mode, ...)
void put_in_pooling(jit::Node* node) {
  constexpr std::size_t kernel = 1, stride = 2, first_after = 5;
  const auto strides = list_at(node, stride), kernels = list_at(node, kernel);
  if (strides && strides->empty() && kernels) put_list(node, stride, *kernels);
  for (std::size_t input = kernel; input < first_after; ++input) put_for_each(node, input, 2);
}

// (input, weight, bias, stride, padding, dilation, transposed, output_padding, ...)
void put_in_convolution(jit::Node* node) {
  const auto weight = jit::toIValue(node->input(1));
  if (!weight || !weight->isTensor()) return;
  const auto dimensions = static_cast<std::size_t>(weight->toTensor().dim() - 2);
  for (const std::size_t input : {3U, 4U, 5U, 7U}) put_for_each(node, input, dimensions);
}

bool may_be_of_its_types(const jit::Value* tensor) {
  const auto type = tensor->type()->cast<c10::TensorType>();
  if (!type || !type->scalarType()) return true;
  const at::ScalarType numbers = *type->scalarType();
  return numbers == at::kFloat || numbers == at::kBFloat16 || numbers == at::kHalf;
}

// (tensors, dim)
bool is_cat_of_other_types(const jit::Node* node) {
  if (node->kind() != jit::aten::cat || node->input(0)->node()->kind() != jit::prim::ListConstruct) return false;
  const auto tensors = node->input(0)->node()->inputs();
  return !may_be_of_its_types(node->output()) || !std::all_of(tensors.begin(), tensors.end(), may_be_of_its_types);
}

void put_concat(jit::Node* node) {
  const jit::WithInsertPoint before(node);
  jit::Graph& graph = *node->owningGraph();
  jit::Node* concat = graph.insertNode(graph.create(jit::aten::concat, node->inputs()));
  concat->output()->copyMetadata(node->output());
  node->output()->replaceAllUsesWith(concat->output());
}

}  // namespace

void suit_onednn_graph(jit::Graph& graph) {
  for (auto it = graph.nodes().begin(); it != graph.nodes().end(); ++it) {
    jit::Node* const node = *it;
    const std::string name = node->kind().toQualString();
    if (name == "aten::max_pool2d" || name == "aten::max_pool2d_with_indices" || name == "aten::avg_pool2d")
      put_in_pooling(node);
    if (name == "aten::_convolution" || name == "aten::convolution") put_in_convolution(node);
    if (is_cat_of_other_types(node)) {
      put_concat(node);
      it.destroyCurrent();
    }
  }
}

}  // namespace tbci::suite
