// Puts the kernels into the dispatcher, in the place of LibTorch's own.
#include <torch/library.h>

#include "kernels.hpp"

namespace {

/// Looks at what is sent, then lets c10d send it.
void all_to_all(const c10::OperatorHandle& called, c10::DispatchKeySet keys, torch::jit::Stack* stack) {
  miniature::check_sent(torch::jit::peek(*stack, 1, called.schema().arguments().size()).toTensor());
  called.redispatchBoxed(keys & c10::after_autograd_keyset, stack);
}

}  // namespace

TORCH_LIBRARY_IMPL(aten, CPU, m) {
  m.impl("_embedding_bag", TORCH_FN(miniature::embedding_bag));
  m.impl("_embedding_bag_forward_only", TORCH_FN(miniature::embedding_bag_forward_only));
  m.impl("relu", TORCH_FN(miniature::relu));
  m.impl("relu_", TORCH_FN(miniature::relu_));
  m.impl("gelu", TORCH_FN(miniature::gelu));
  m.impl("elu", TORCH_FN(miniature::elu));
  m.impl("elu_", TORCH_FN(miniature::elu_));
  m.impl("tanh", TORCH_FN(miniature::tanh));
  m.impl("addmm", TORCH_FN(miniature::addmm));
  m.impl("mm", TORCH_FN(miniature::mm));
  m.impl("convolution", TORCH_FN(miniature::convolution));
  m.impl("native_layer_norm", TORCH_FN(miniature::native_layer_norm));
  m.impl("_softmax", TORCH_FN(miniature::softmax));
}

TORCH_LIBRARY_IMPL(c10d, AutogradCPU, m) {
  m.impl("alltoall_base_", torch::CppFunction::makeFromBoxedFunction<&all_to_all>());
}
