#include "detect/predict/kernel_family.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "detect/timeline/categories.hpp"
#include "detect/timeline/flops.hpp"

namespace tbci::detect {

namespace {

constexpr std::array<std::string_view, 11> row_lookups = {
    "embedding",          "_embedding_bag",          "_embedding_bag_forward_only",   "embedding_dense_backward",
    "embedding_backward", "_embedding_bag_backward", "_embedding_bag_dense_backward", "_embedding_bag_sparse_backward",
    "embedding_renorm_",  "embedding_bag",           "embedding_sparse_backward"};

constexpr std::array<std::string_view, 36> reducing = {"sum",
                                                       "mean",
                                                       "amax",
                                                       "amin",
                                                       "max",
                                                       "min",
                                                       "argmax",
                                                       "argmin",
                                                       "prod",
                                                       "cumsum",
                                                       "var",
                                                       "var_mean",
                                                       "std",
                                                       "std_mean",
                                                       "norm",
                                                       "logsumexp",
                                                       "_softmax",
                                                       "_log_softmax",
                                                       "softmax",
                                                       "_softmax_backward_data",
                                                       "all",
                                                       "any",
                                                       "topk",
                                                       "linalg_vector_norm",
                                                       "native_layer_norm",
                                                       "native_layer_norm_backward",
                                                       "native_group_norm",
                                                       "native_group_norm_backward",
                                                       "native_batch_norm",
                                                       "native_batch_norm_backward",
                                                       "_log_softmax_backward_data",
                                                       "mse_loss",
                                                       "nll_loss_forward",
                                                       "nll_loss_backward",
                                                       "batch_norm",
                                                       "count_nonzero"};

// Beside the table of hints, which has what is as quick as a copy.
constexpr std::array<std::string_view, 28> also_elementwise = {"clamp_min",
                                                               "gelu",
                                                               "gelu_backward",
                                                               "sigmoid",
                                                               "sigmoid_",
                                                               "sigmoid_backward",
                                                               "tanh",
                                                               "tanh_",
                                                               "exp",
                                                               "exp_",
                                                               "log",
                                                               "silu",
                                                               "silu_backward",
                                                               "hardtanh",
                                                               "hardswish",
                                                               "elu",
                                                               "leaky_relu",
                                                               "tanh_backward",
                                                               "threshold",
                                                               "mse_loss_backward",
                                                               "eq",
                                                               "lt",
                                                               "gt",
                                                               "ge",
                                                               "le",
                                                               "ne",
                                                               "fill_",
                                                               "selu"};

bool is_among(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

double tensor_elements(const CallTensor& tensor) {
  double elements = tensor.storage == 0 ? 0 : 1;
  for (const std::int64_t size : tensor.sizes) elements *= static_cast<double>(size);
  return elements;
}

double bytes_of_all(const std::vector<CallTensor>& inputs, const std::vector<CallTensor>& outputs) {
  std::set<std::int64_t> seen;
  double bytes = 0;
  for (const auto* tensors : {&inputs, &outputs}) {
    for (const CallTensor& tensor : *tensors) {
      if (seen.insert(tensor.storage).second) bytes += tensor_elements(tensor) * tensor.element_bytes;
    }
  }
  return bytes;
}

// A lookup reads a row of its table, the first tensor; the indices are the second one. Of a backward pass the rows are
// those of the gradient, and the tensors stand the same way.
double bytes_of_lookups(const std::vector<CallTensor>& inputs, const std::vector<CallTensor>& outputs) {
  if (inputs.size() < 2 || inputs[0].sizes.empty()) return 0;
  const double lookups = tensor_elements(inputs[1]);
  const double row = static_cast<double>(inputs[0].sizes.back()) * inputs[0].element_bytes;
  double written = 0;
  for (const CallTensor& tensor : outputs) written += tensor_elements(tensor) * tensor.element_bytes;
  return lookups * (row + inputs[1].element_bytes) + written;
}

std::vector<std::vector<std::int64_t>> sizes_only(const std::vector<CallTensor>& tensors) {
  std::vector<std::vector<std::int64_t>> all;
  for (const CallTensor& tensor : tensors) all.push_back(tensor.sizes);
  return all;
}

}  // namespace

std::string_view to_string(KernelFamily family) {
  switch (family) {
    case KernelFamily::embeddings:
      return "embeddings";
    case KernelFamily::copies:
      return "copies";
    case KernelFamily::elementwise:
      return "elementwise";
    case KernelFamily::reductions:
      return "reductions";
    case KernelFamily::products:
      return "products";
    case KernelFamily::convolutions:
      return "convolutions";
    case KernelFamily::communication:
      return "communication";
    case KernelFamily::other:
      break;
  }
  return "other";
}

KernelFamily family_of(std::string_view name) {
  const std::string_view base = base_of(name);
  if (name.starts_with("c10d.") || name.starts_with("gloo.")) return KernelFamily::communication;
  if (is_among(row_lookups, base)) return KernelFamily::embeddings;
  if (has_flops(name))
    return base.find("conv") == std::string_view::npos ? KernelFamily::products : KernelFamily::convolutions;
  if (is_copy(name) || base == "index" || base == "_index_put_impl_" || base == "index_put_")
    return KernelFamily::copies;
  if (is_elementwise(name) || is_among(also_elementwise, base)) return KernelFamily::elementwise;
  return is_among(reducing, base) ? KernelFamily::reductions : KernelFamily::other;
}

double amount_of_work(std::string_view name, const std::vector<CallTensor>& inputs,
                      const std::vector<CallTensor>& outputs) {
  switch (family_of(name)) {
    case KernelFamily::products:
    case KernelFamily::convolutions:
      return flops_of_sizes(name, sizes_only(inputs), sizes_only(outputs));
    case KernelFamily::embeddings:
      return bytes_of_lookups(inputs, outputs);
    case KernelFamily::copies:
    case KernelFamily::elementwise:
    case KernelFamily::reductions:
    case KernelFamily::communication:
      return bytes_of_all(inputs, outputs);
    case KernelFamily::other:
      break;
  }
  return 0;
}

}  // namespace tbci::detect
