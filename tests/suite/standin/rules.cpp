#include "tests/suite/standin/rules.hpp"

#include <ATen/core/function_schema.h>
#include <torch/torch.h>

#include <iterator>
#include <set>
#include <sstream>
#include <string>

#include "tests/suite/standin/counts.hpp"
#include "tests/suite/standin/memory.hpp"

namespace tbci::suite::standin {
namespace {

using Names = std::set<std::string>;

Names split(const std::string& words) {
  std::istringstream stream(words);
  return {std::istream_iterator<std::string>(stream), {}};
}

// Operators whose kernel for CUDA takes a tensor without dimensions from the host: those of native_functions.yaml
// (2.13) with two tensors or more that have `device_check: NoCheck` or inherit TensorIteratorBase. An operator in place
// has the same name here. All others check each tensor.
const Names& take_numbers_of_host() {
  static const Names names = split(
      "__ilshift__ __irshift__ __lshift__ __rshift__ _index_put_impl add addcdiv addcmul atan2 bernoulli "
      "binary_cross_entropy binomial bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift "
      "bitwise_xor clamp clamp_max clamp_min copysign div elu_backward eq fill floor_divide fmax fmin fmod "
      "gcd ge gelu_backward gt hardshrink_backward hardsigmoid_backward heaviside hypot igamma igammac "
      "index index_fill lcm le leaky_relu_backward lerp logaddexp logaddexp2 logical_and logical_or "
      "logical_xor logit_backward lt masked_fill maximum minimum mse_loss mul ne nextafter pow remainder "
      "rsub sigmoid_backward silu_backward smooth_l1_loss softplus_backward softshrink_backward "
      "special_xlog1py special_zeta sub tanh_backward threshold_backward where xlogy");
  return names;
}

// Operators that bring indices of the host over by themselves.
const Names& take_indices_of_host() {
  static const Names names = split("_index_put_impl index");
  return names;
}

// The size of the result, or the answer, is known only when the GPU has computed it.
const Names& wait_for_result() {
  static const Names names = split(
      "_coalesce _local_scalar_dense _unique _unique2 bincount equal masked_select nonzero "
      "unique_consecutive unique_dim unique_dim_consecutive");
  return names;
}

const Names& without_kernel() {
  static const Names names = split(
      "_coalesced _dimI _dimV _fused_sdp_choice _indices _local_scalar_dense _nnz _resize_output "
      "_sparse_coo_tensor_with_dims _sparse_coo_tensor_with_dims_and_tensors _use_cudnn_ctc_loss _values "
      "dense_dim empty empty_like empty_strided indices is_coalesced is_pinned is_set_to new_empty resize "
      "set sparse_dim values");
  return names;
}

// `aten::add_` -> `add`.
std::string plain(const std::string& name) {
  std::string bare = name.substr(name.rfind(':') + 1);
  const bool in_place = bare.size() > 2 && bare.back() == '_' && bare[bare.size() - 2] != '_';
  if (in_place) bare.pop_back();
  return bare;
}

[[noreturn]] void refuse(const c10::FunctionSchema& schema, const std::string& argument) {
  TORCH_CHECK(false, "Expected all tensors to be on the same device, but found at least two devices, ", device,
              " and cpu! (when checking argument ", argument, " in method stand-in for CUDA, ", schema.name(), ")");
}

// Calls `visit` with each tensor of the argument.
template <class Visit>
void each_tensor(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    if (value.toTensor().defined()) visit(value.toTensor());
  } else if (value.isList()) {
    for (const c10::IValue& element : value.toListRef()) each_tensor(element, visit);
  }
}

bool is_mask(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kBool || tensor.scalar_type() == at::kByte;
}

// A mask is turned into indices first, by nonzero. One number under one mask is filled in without that.
bool fills_under_mask(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments) {
  if (plain(schema.name()) != "_index_put_impl") return false;
  const at::Tensor& values = arguments[2].toTensor();
  bool masks_alone = values.numel() == 1 && !arguments[3].toBool();
  each_tensor(arguments[1], [&](const at::Tensor& index) { masks_alone = masks_alone && is_mask(index); });
  return masks_alone;
}

}  // namespace

void refuse_host_tensors(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments) {
  const std::string name = plain(schema.name());
  const bool numbers = take_numbers_of_host().count(name) == 1, indices = take_indices_of_host().count(name) == 1;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = schema.arguments()[i].name();
    each_tensor(arguments[i], [&](const at::Tensor& tensor) {
      if (is_on_standin(tensor) || (numbers && tensor.dim() == 0) || (indices && argument == "indices")) return;
      refuse(schema, argument);
    });
  }
}

void note_waits(const c10::FunctionSchema& schema, c10::ArrayRef<c10::IValue> arguments) {
  const std::string name = plain(schema.name());
  if (wait_for_result().count(name) == 1) note_wait(name);
  if (name == "repeat_interleave" && arguments[1].isNone()) note_wait(name);  // the caller has not said how many
  if (take_indices_of_host().count(name) == 0) return;
  const bool fills = fills_under_mask(schema, arguments);
  each_tensor(arguments[1], [&](const at::Tensor& index) {
    if (!is_on_standin(index)) note_copy_to_device(true);
    if (is_mask(index) && !fills) note_wait(name + "_by_mask");
  });
}

bool needs_no_kernel(const std::string& name) {
  return without_kernel().count(plain(name)) == 1;
}

}  // namespace tbci::suite::standin
