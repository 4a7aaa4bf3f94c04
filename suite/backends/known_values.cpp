#include "suite/backends/known_values.hpp"

#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/torch.h>

namespace tbci::suite {
namespace {

namespace jit = torch::jit;

// Two tensors over the same memory, read in the same way.
using Place =
    std::tuple<const void*, std::int64_t, std::vector<std::int64_t>, std::vector<std::int64_t>, at::ScalarType>;

struct Known {
  std::map<Place, jit::Value*> values;
  std::vector<at::Tensor> kept;
  std::vector<GeneratorState> generators;
  std::shared_ptr<jit::tracer::TracingState> state;  // while the tracer rests inside of an operator, too
};

// Of this thread: the callbacks of RecordFunction are plain functions.
std::unique_ptr<Known>& known() {
  thread_local std::unique_ptr<Known> current;
  return current;
}

bool has_place(const at::Tensor& tensor) {
  return tensor.defined() && tensor.layout() == at::kStrided && tensor.has_storage() && !tensor.is_quantized() &&
         tensor.storage().unsafeGetStorageImpl() != nullptr && tensor.numel() > 0;
}

Place place_of(const at::Tensor& tensor) {
  return {tensor.storage().unsafeGetStorageImpl(), tensor.storage_offset(), tensor.sizes().vec(),
          tensor.strides().vec(), tensor.scalar_type()};
}

template <class Visit>
void for_tensors(const c10::IValue& value, const Visit& visit) {
  if (value.isTensor()) {
    visit(value.toTensor());
  } else if (value.isTensorList()) {
    for (const at::Tensor& tensor : value.toTensorVector()) visit(tensor);
  } else if (value.isList()) {
    for (const c10::IValue& each : value.toListRef()) {
      if (each.isTensor()) visit(each.toTensor());
    }
  }
}

void recognise(const at::Tensor& tensor) {
  const auto& state = jit::tracer::getTracingState();
  if (!has_place(tensor) || state->hasValue(tensor)) return;
  const auto found = known()->values.find(place_of(tensor));
  if (found != known()->values.end()) jit::tracer::setValueTrace(tensor, found->second);
}

void remember(const at::Tensor& tensor) {
  const auto& state = jit::tracer::getTracingState();
  if (!has_place(tensor) || !state->hasValue(tensor)) return;
  known()->values[place_of(tensor)] = jit::tracer::getValueTrace(tensor);
  known()->kept.push_back(tensor);
}

void remember_generator(const c10::IValue& value) {
  if (!value.isGenerator()) return;
  const at::Generator generator = value.toGenerator();
  known()->generators.push_back({generator, generator.get_state()});
}

// Of an operator that copies a known tensor while the tracer rests: that tensor's value.
struct Copying final : at::ObserverContext {
  explicit Copying(jit::Value* of) : original(of) {}
  jit::Value* original;
};

// Inside of an operator in place, autograd copies what the operator is about to change. The tracer rests there, so the
// copy is put into the graph before the operator, which is the last node so far.
void remember_copy(jit::Value* original, const at::Tensor& copy) {
  jit::Graph& graph = *known()->state->graph;
  jit::Node* last = *graph.nodes().rbegin();
  const jit::WithInsertPoint before_it(last);
  jit::Node* node = graph.create(c10::Symbol::fromQualString("aten::clone"), 1);
  node->addInput(original);
  node->addInput(graph.insertConstant(c10::IValue()));
  node->insertBefore(last);
  node->output()->inferTypeFrom(copy);
  known()->values[place_of(copy)] = node->output();
  known()->kept.push_back(copy);
}

std::unique_ptr<at::ObserverContext> enter_unrecorded(const at::RecordFunction& function) {
  if (known()->state == nullptr || std::string_view(function.name()) != "aten::clone") return nullptr;
  const c10::IValue& input = function.inputs()[0];  // they are gone when it ends
  if (!input.isTensor() || !has_place(input.toTensor())) return nullptr;
  const auto found = known()->values.find(place_of(input.toTensor()));
  return found != known()->values.end() ? std::make_unique<Copying>(found->second) : nullptr;
}

std::unique_ptr<at::ObserverContext> enter_call(const at::RecordFunction& function) {
  if (known() == nullptr) return nullptr;
  if (!jit::tracer::isTracing()) return enter_unrecorded(function);
  known()->state = jit::tracer::getTracingState();
  for (const c10::IValue& input : function.inputs()) {
    for_tensors(input, recognise);
    remember_generator(input);
  }
  return nullptr;
}

void leave_call(const at::RecordFunction& function, at::ObserverContext* context) {
  if (known() == nullptr || function.outputs().empty()) return;
  if (const auto* copying = static_cast<Copying*>(context)) {
    const c10::IValue& copy = function.outputs()[0];
    if (copy.isTensor() && has_place(copy.toTensor())) remember_copy(copying->original, copy.toTensor());
  } else if (jit::tracer::isTracing()) {
    for (const c10::IValue& output : function.outputs()) for_tensors(output, remember);
  }
}

}  // namespace

KnownValues::KnownValues()
    : handle_(at::addThreadLocalCallback(at::RecordFunctionCallback(&enter_call, &leave_call)
                                             .needsInputs(true)
                                             .needsOutputs(true)
                                             .scopes({at::RecordScope::FUNCTION}))) {
  known() = std::make_unique<Known>();
}

KnownValues::~KnownValues() {
  at::removeCallback(handle_);
  known().reset();
}

std::vector<GeneratorState> KnownValues::generators() const {
  return known()->generators;
}

}  // namespace tbci::suite
