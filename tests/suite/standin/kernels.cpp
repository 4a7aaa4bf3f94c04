// The stand-in's kernels are those of the CPU: each operator that reaches the device is called on the host's twins of
// its tensors.
#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>
#include <torch/torch.h>

#include <initializer_list>
#include <set>
#include <string>

#include "tests/suite/standin/counts.hpp"
#include "tests/suite/standin/generator.hpp"
#include "tests/suite/standin/lstm_cell.hpp"
#include "tests/suite/standin/memory.hpp"
#include "tests/suite/standin/rules.hpp"

namespace tbci::suite::standin {
namespace {

using c10::IValue;

IValue to_host(Twins& twins, const IValue& value);

at::Tensor tensor_to_host(Twins& twins, const at::Tensor& tensor) {
  return is_on_standin(tensor) ? twins.host_of(tensor) : tensor;
}

IValue list_to_host(Twins& twins, const IValue& value) {
  if (value.isTensorList()) {
    c10::List<at::Tensor> list;
    for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(tensor_to_host(twins, tensor));
    return list;
  }
  if (value.isOptionalTensorList()) {
    c10::List<std::optional<at::Tensor>> list;
    for (const auto& tensor : value.toOptionalTensorVector()) {
      list.push_back(tensor ? std::optional<at::Tensor>(tensor_to_host(twins, *tensor)) : std::nullopt);
    }
    return list;
  }
  return value;
}

IValue to_host(Twins& twins, const IValue& value) {
  if (value.isTensor()) return tensor_to_host(twins, value.toTensor());
  if (value.isDevice()) return value.toDevice().is_cuda() ? c10::Device(c10::kCPU) : value.toDevice();
  if (value.isGenerator()) return host_generator(value.toGenerator());
  return value.isList() ? list_to_host(twins, value) : value;
}

IValue to_ours(Twins& twins, const IValue& value) {
  if (value.isTensor()) return twins.ours_of(value.toTensor());
  if (!value.isTensorList()) return value;
  c10::List<at::Tensor> list;
  for (const at::Tensor& tensor : value.toTensorVector()) list.push_back(twins.ours_of(tensor));
  return list;
}

bool writes(const c10::FunctionSchema& schema) {
  return schema.is_mutable();
}

// A view is one whose results are the arguments' memory, unwritten. CUDA launches nothing for that, nor for no numbers.
bool launches(const c10::FunctionSchema& schema, const Twins& twins, c10::ArrayRef<IValue> results) {
  if (needs_no_kernel(schema.name())) return false;
  if (results.empty()) return true;
  bool computes = false;
  const auto look = [&](const at::Tensor& tensor) {
    const bool has_numbers = tensor.defined() && tensor.numel() > 0;
    computes = computes || (has_numbers && (writes(schema) || !twins.shares_memory(tensor)));
  };
  for (const IValue& result : results) {
    if (result.isTensor()) {
      look(result.toTensor());
    } else if (result.isTensorList()) {
      for (const at::Tensor& tensor : result.toTensorVector()) look(tensor);
    } else {
      computes = true;
    }
  }
  return computes;
}

// Each operator, on the stand-in.
void on_host(const c10::OperatorHandle& op, torch::jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  const auto given = torch::jit::last(*stack, schema.arguments().size());
  refuse_host_tensors(schema, given);
  note_waits(schema, given);

  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  Twins twins;
  torch::jit::Stack host;
  for (const IValue& value : given) host.push_back(to_host(twins, value));
  op.callBoxed(&host);
  if (launches(schema, twins, host)) note_launch();
  if (writes(schema)) twins.follow();
  torch::jit::drop(*stack, schema.arguments().size());
  for (const IValue& value : host) stack->push_back(to_ours(twins, value));
}

// Between the two devices, and on one of them.
at::Tensor& copy(at::Tensor& self, const at::Tensor& from, bool non_blocking) {
  const at::AutoDispatchBelowADInplaceOrView below_autograd;
  Twins twins;
  const at::Tensor source = tensor_to_host(twins, from);
  tensor_to_host(twins, self).copy_(source);
  if (self.numel() == 0) return self;
  if (!is_on_standin(from)) {
    note_copy_to_device(!non_blocking);
  } else if (!is_on_standin(self)) {
    note_copy_to_host();
  } else {
    note_launch();
  }
  return self;
}

// Operators for which LibTorch has a way round a missing kernel, by other operators: CUDA has kernels for those that
// the CPU has kernels for, and for those whose result a device only has to be allocated for.
void as_on_host(torch::Library& library, std::initializer_list<c10::DispatchKey> like) {
  std::set<std::string> names;
  for (const c10::DispatchKey key : like) {
    for (const c10::OperatorName& name : c10::Dispatcher::singleton().getRegistrationsForDispatchKey(key)) {
      if (name.name.rfind("aten::", 0) == 0) names.insert(c10::toString(name));
    }
  }
  for (const std::string& name : names) {
    library.impl(name.c_str(), torch::CppFunction::makeFromBoxedFunction<&on_host>());
  }
}

}  // namespace

TORCH_LIBRARY_IMPL(_, CUDA, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&on_host>());
}

TORCH_LIBRARY_IMPL(_, SparseCUDA, library) {
  library.fallback(torch::CppFunction::makeFromBoxedFunction<&on_host>());
}

TORCH_LIBRARY_IMPL(aten, CUDA, library) {
  as_on_host(library, {c10::DispatchKey::CPU, c10::DispatchKey::CompositeExplicitAutogradNonFunctional});
  // A convolution is composed of others for CUDA where it is not cuDNN's: here it is the CPU's, as one.
  for (const char* name : {"convolution", "convolution_backward"}) {
    library.impl(name, torch::CppFunction::makeFromBoxedFunction<&on_host>());
  }
  library.impl("copy_", TORCH_FN(copy));
  library.impl("_thnn_fused_lstm_cell", TORCH_FN(lstm_cell));
  library.impl("_thnn_fused_lstm_cell_backward_impl", TORCH_FN(lstm_cell_backward));
}

TORCH_LIBRARY_IMPL(aten, SparseCUDA, library) {
  as_on_host(library, {c10::DispatchKey::SparseCPU});
}

}  // namespace tbci::suite::standin
