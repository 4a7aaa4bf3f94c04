#include "suite/backends/tracer_kernels.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/util/Exception.h>
#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/library.h>
#include <torch/version.h>

namespace tbci::suite {
namespace {

namespace jit = torch::jit;

void add_input(jit::Graph& graph, jit::Node* node, const c10::Argument& argument, const c10::IValue& value) {
  const char* name = argument.name().c_str();
  if (value.isTensor()) {
    jit::tracer::addInputs(node, name, value.toTensor());
  } else if (value.isTensorList()) {
    const std::vector<at::Tensor> tensors = value.toTensorVector();
    jit::tracer::addInputs(node, name, at::ArrayRef<at::Tensor>(tensors));
  } else {
    node->addInput(graph.insertConstant(value));
  }
}

// As the generated kernels do it: a node with the inputs, the operator itself unrecorded, then the node's outputs.
void record(const c10::OperatorHandle& op, c10::DispatchKeySet keys, jit::Stack* stack) {
  const c10::FunctionSchema& schema = op.schema();
  const std::shared_ptr<jit::tracer::TracingState> state = jit::tracer::getTracingState();
  jit::Node* node = nullptr;
  if (state) {
    node = state->createNode(c10::Symbol::fromQualString(schema.name()), 0);
    const std::size_t first = stack->size() - schema.arguments().size();
    for (std::size_t i = 0; i < schema.arguments().size(); ++i)
      add_input(*state->graph, node, schema.arguments()[i], (*stack)[first + i]);
    state->insertNode(node);
    jit::tracer::setTracingState(nullptr);
  }
  op.redispatchBoxed(keys & c10::DispatchKeySet(c10::DispatchKeySet::FULL_AFTER, c10::DispatchKey::Tracer), stack);
  if (!state) return;
  jit::tracer::setTracingState(state);
  const std::size_t first = stack->size() - schema.returns().size();
  for (std::size_t i = 0; i < schema.returns().size(); ++i)
    jit::tracer::addOutput(node, (*stack)[first + i].toTensor());
}

bool takes_mask(const c10::FunctionSchema& schema) {
  for (const c10::Argument& argument : schema.arguments()) {
    const auto list = argument.type()->cast<c10::ListType>();
    if (list && list->getElementType()->kind() == c10::TypeKind::BoolType) return true;
  }
  return false;
}

bool gives_tensors(const c10::FunctionSchema& schema) {
  for (const c10::Argument& each : schema.returns()) {
    if (each.type()->kind() != c10::TypeKind::TensorType) return false;
  }
  return true;
}

// The operators of LibTorch that the tracer has a kernel for and `are` holds of.
template <class Are>
std::vector<std::string> traced_operators(const Are& are) {
  std::vector<std::string> names;
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames()) {
    const std::string space = "aten::";
    if (name.name.compare(0, space.size(), space) != 0) continue;
    const auto handle = c10::Dispatcher::singleton().findSchema(name);
    if (!handle || !handle->hasKernelForDispatchKey(c10::DispatchKey::Tracer) || !are(*handle)) continue;
    names.push_back(name.name.substr(space.size()) + (name.overload_name.empty() ? "" : "." + name.overload_name));
  }
  return names;
}

// LibTorch warns that a kernel is replaced, which is what is meant here.
class WithoutWarnings final : public c10::WarningHandler {
 public:
#if TORCH_VERSION_MAJOR >= 2
  void process(const c10::Warning&) override {}
#else
  void process(const c10::SourceLocation&, const std::string&, bool) override {}
#endif
};

#if TORCH_VERSION_MAJOR >= 2
using HandlerGuard = c10::WarningUtils::WarningHandlerGuard;
#else
using HandlerGuard = c10::Warning::WarningHandlerGuard;
#endif

template <class Kernel>
std::unique_ptr<torch::Library> replace(const std::vector<std::string>& operators, const Kernel& kernel) {
  WithoutWarnings quiet;
  const HandlerGuard guard(&quiet);
  auto library = std::make_unique<torch::Library>(torch::Library::IMPL, "aten", c10::DispatchKey::Tracer, __FILE__,
                                                  static_cast<std::uint32_t>(__LINE__));
  for (const std::string& name : operators) library->impl(name.c_str(), kernel());
  return library;
}

}  // namespace

void record_masks() {
  static const auto library = replace(traced_operators([](const c10::OperatorHandle& op) {
                                        return takes_mask(op.schema()) && gives_tensors(op.schema());
                                      }),
                                      [] { return torch::CppFunction::makeFromBoxedFunction<&record>(); });
}

void record_composites_in_parts() {
  static const auto library = replace(traced_operators([](const c10::OperatorHandle& op) {
                                        return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd);
                                      }),
                                      [] { return torch::CppFunction::makeFallthrough(); });
}

}  // namespace tbci::suite
