#include "detect/timeline/flops.hpp"

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <vector>

#include "detect/timeline/categories.hpp"

namespace tbci::detect {

namespace {

using Sizes = std::vector<std::int64_t>;

// A call's tensors by place; those that are undefined or missing have no sizes.
class Shapes {
 public:
  Shapes(std::span<const Sizes> inputs, std::span<const Sizes> outputs) : inputs_(inputs), outputs_(outputs) {}
  const Sizes& in(std::size_t place) const { return at(inputs_, place); }
  const Sizes& out(std::size_t place) const { return at(outputs_, place); }

 private:
  static const Sizes& at(std::span<const Sizes> tensors, std::size_t place) {
    static const Sizes none;
    return place < tensors.size() ? tensors[place] : none;
  }
  std::span<const Sizes> inputs_, outputs_;
};

std::vector<Sizes> sizes_of(const Look& look, const std::vector<model::TensorUse>& uses) {
  std::vector<Sizes> all;
  for (const model::TensorUse& use : uses) {
    const model::SeenTensor* tensor = look.tensor(use);
    all.push_back(tensor == nullptr ? Sizes() : tensor->sizes);
  }
  return all;
}

double product(const Sizes& sizes, std::size_t from = 0) {
  double all = sizes.empty() ? 0 : 1;
  for (std::size_t i = from; i < sizes.size(); ++i) all *= static_cast<double>(sizes[i]);
  return all;
}

double size(const Sizes& sizes, std::size_t from_the_end) {
  return from_the_end > sizes.size() ? 0 : static_cast<double>(sizes[sizes.size() - from_the_end]);
}

// [..., n, k] x [..., k, m]
double of_matrices(const Sizes& left, const Sizes& right) {
  return 2 * product(left) * size(right, 1);
}

// Each number of the output needs a column of the weight, or, transposed, each of the input a row. A convolution makes
// the image no larger, apart from padding, and a transposed one no smaller.
double of_convolution(const Sizes& input, const Sizes& weight, const Sizes& output) {
  if (input.size() < 3 || weight.size() != input.size() || output.size() != input.size()) return 0;
  const bool transposed = product(output, 2) > product(input, 2) && weight[0] == input[1];
  return 2 * product(transposed ? input : output) * product(weight, 1);
}

// q [..., l, e], k [..., s, e], v [..., s, f]: q k' and the weights times v.
double of_attention(const Sizes& q, const Sizes& k, const Sizes& v) {
  return 2 * product(q) * size(k, 2) + 2 * product(q) / std::max(size(q, 1), 1.0) * size(k, 2) * size(v, 1);
}

using Formula = double (*)(const Shapes& shapes);

double of_each_gradient(const Shapes& shapes) {
  const double forward = of_convolution(shapes.in(1), shapes.in(2), shapes.in(0));
  return forward * ((shapes.out(0).empty() ? 0 : 1) + (shapes.out(1).empty() ? 0 : 1));
}

// Both gates' weights meet each step of each sample.
double of_layer(const Shapes& shapes) {
  const Sizes& input = shapes.in(0);
  const double steps = product(input) / std::max(size(input, 1), 1.0);
  return 2 * steps * (product(shapes.in(1)) + product(shapes.in(2)));
}

const std::map<std::string_view, Formula>& formulas() {
  static const auto first_two = [](const Shapes& s) { return of_matrices(s.in(0), s.in(1)); };
  static const auto after_first = [](const Shapes& s) { return of_matrices(s.in(1), s.in(2)); };
  static const auto linear = [](const Shapes& s) { return 2 * product(s.in(0)) * size(s.in(1), 2); };
  static const auto vector = [](const Shapes& s) { return 2 * product(s.in(0)); };
  static const auto convolution = [](const Shapes& s) { return of_convolution(s.in(0), s.in(1), s.out(0)); };
  static const auto attention = [](const Shapes& s) { return of_attention(s.in(0), s.in(1), s.in(2)); };
  // The weights are computed again; then there are two products for q, k and v each, of which one is shared: 5 for 2.
  static const auto attention_backward = [](const Shapes& s) { return 2.5 * of_attention(s.in(1), s.in(2), s.in(3)); };
  // One product for what goes in and one for the weights, each as large as the forward one.
  static const auto layer_backward = [](const Shapes& s) { return 2 * of_layer(s); };
  static const std::map<std::string_view, Formula> all = {
      {"mm", first_two},
      {"bmm", first_two},
      {"addmm", after_first},
      {"addmm_", after_first},
      {"_addmm_activation", after_first},
      {"baddbmm", after_first},
      {"baddbmm_", after_first},
      {"addbmm", after_first},
      {"linear", linear},
      {"mkldnn_linear", linear},
      {"mv", vector},
      {"dot", vector},
      {"conv1d", convolution},
      {"conv2d", convolution},
      {"conv3d", convolution},
      {"convolution", convolution},
      {"_convolution", convolution},
      {"mkldnn_convolution", convolution},
      {"cudnn_convolution", convolution},
      {"thnn_conv2d", convolution},
      {"_slow_conv2d_forward", convolution},
      {"conv_transpose1d", convolution},
      {"conv_transpose2d", convolution},
      {"conv_transpose3d", convolution},
      {"convolution_backward", of_each_gradient},
      {"mkldnn_rnn_layer", of_layer},
      {"mkldnn_rnn_layer_backward", layer_backward},
      {"scaled_dot_product_attention", attention},
      {"_scaled_dot_product_attention_math", attention},
      {"_scaled_dot_product_flash_attention", attention},
      {"_scaled_dot_product_flash_attention_for_cpu", attention},
      {"_scaled_dot_product_efficient_attention", attention},
      {"_scaled_dot_product_cudnn_attention", attention},
      {"_scaled_dot_product_flash_attention_backward", attention_backward},
      {"_scaled_dot_product_flash_attention_for_cpu_backward", attention_backward},
      {"_scaled_dot_product_efficient_attention_backward", attention_backward},
      {"_scaled_dot_product_cudnn_attention_backward", attention_backward},
  };
  return all;
}

}  // namespace

bool has_flops(std::string_view name) {
  return name.starts_with("aten.") && formulas().contains(base_of(name));
}

double flops_of_sizes(std::string_view name, std::span<const Sizes> inputs, std::span<const Sizes> outputs) {
  return has_flops(name) ? formulas().at(base_of(name))(Shapes(inputs, outputs)) : 0;
}

double flops_of(const Look& look, std::size_t call) {
  const std::string_view name = look.name(call);
  if (!has_flops(name)) return 0;
  const model::TimelineCall& called = look.timeline.calls[call];
  return flops_of_sizes(name, sizes_of(look, called.inputs), sizes_of(look, called.outputs));
}

double flops_of_iteration(const Look& look) {
  double sum = 0;
  std::vector<bool> counted(look.calls.size());
  for (std::size_t i = 0; i < look.calls.size(); ++i) {
    const std::ptrdiff_t parent = look.calls[i].parent;
    counted[i] = parent >= 0 && counted[static_cast<std::size_t>(parent)];
    if (counted[i] || look.calls[i].iteration < 0) continue;
    const double flops = flops_of(look, i);
    counted[i] = flops > 0;
    sum += flops;
  }
  return sum / static_cast<double>(look.timeline.iterations.size());
}

}  // namespace tbci::detect
