#include "suite/backends/products.hpp"

#include <algorithm>
#include <iterator>
#include <string>

#include <torch/csrc/jit/ir/ir.h>

#include "suite/operators.hpp"

namespace tbci::suite {
namespace {

namespace jit = torch::jit;

bool name_begins(const std::string& text, const char* beginning) {
  return text.rfind(beginning, 0) == 0;
}

// `name` as in a graph: `aten::mm`.
bool is_kernel_of_product(const std::string& name) {
  constexpr const char* products[] = {"aten::mm", "aten::addmm", "aten::bmm", "aten::baddbmm"};
  return std::any_of(std::begin(products), std::end(products), [&](const char* each) { return name == each; }) ||
         name_begins(name, "aten::convolution") || name_begins(name, "aten::_convolution");
}

// Consist of one convolution.
bool is_layer_of_convolution(const std::string& name) {
  return name_begins(name, "aten::conv1d") || name_begins(name, "aten::conv2d") || name_begins(name, "aten::conv3d") ||
         name_begins(name, "aten::conv_transpose");
}

bool has_rows_and_columns(const jit::Value* value) {
  const auto type = value->type()->cast<c10::TensorType>();
  return type && type->dim().value_or(0) >= 2;
}

// Of tensors of one dimension these are sums and no products.
bool is_product_of_matrices(const jit::Node* node, const std::string& name) {
  return (name == "aten::matmul" || name == "aten::linear") && node->inputs().size() >= 2 &&
         has_rows_and_columns(node->inputs()[0]) && has_rows_and_columns(node->inputs()[1]);
}

}  // namespace

std::int64_t products_in(const std::function<void()>& work) {
  std::int64_t products = 0;
  for (const auto& [name, calls] : operators_of(work).below_autograd) {
    for (const char* product :
         {"aten.mm.", "aten.addmm.", "aten.bmm.", "aten.baddbmm.", "aten.convolution", "aten._convolution."}) {
      if (name_begins(name, product)) products += calls;
    }
  }
  return products;
}

std::int64_t products_of(const jit::Graph& graph) {
  return std::count_if(graph.nodes().begin(), graph.nodes().end(), [](const jit::Node* node) {
    const std::string name = node->kind().toQualString();
    return is_kernel_of_product(name) || is_layer_of_convolution(name) || is_product_of_matrices(node, name);
  });
}

bool are_most(std::int64_t traced, std::int64_t eager) {
  return 10 * traced >= 9 * eager;
}

}  // namespace tbci::suite
