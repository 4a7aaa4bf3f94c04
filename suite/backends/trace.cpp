#include "suite/backends/trace.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <torch/csrc/jit/frontend/tracer.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>

#include "suite/backends/known_values.hpp"
#include "suite/backends/products.hpp"
#include "suite/backends/tracer_kernels.hpp"
#include "suite/exported/reason.hpp"
#include "suite/out_of_memory.hpp"

namespace tbci::suite {
namespace {

namespace jit = torch::jit;
using Impl = c10::TensorImpl*;

Impl impl(const torch::Tensor& tensor) {
  return tensor.unsafeGetTensorImpl();
}

// Each once, in order.
void add_new(const Tensors& from, Tensors& to, std::set<Impl>& there) {
  for (const torch::Tensor& tensor : from) {
    if (tensor.defined() && there.insert(impl(tensor)).second) to.push_back(tensor);
  }
}

// Parameters and buffers: what the workload says that it keeps.
Tensors declared_state(const Workload& workload) {
  Tensors state;
  std::set<Impl> there;
  add_new(workload.parameters(), state, there);
  if (const auto module = workload.module()) {
    add_new(module->parameters(), state, there);
    add_new(module->buffers(), state, there);
  }
  return state;
}

Tensors gradients_of(const Tensors& parameters) {
  Tensors gradients;
  for (const torch::Tensor& parameter : parameters) {
    if (parameter.grad().defined()) gradients.push_back(parameter.grad());
  }
  return gradients;
}

// One tensor as it is, many as a tuple.
c10::IValue output_of(const Tensors& results, const Tensors& gradients) {
  std::vector<c10::IValue> values;
  for (const torch::Tensor& result : results) {
    if (!result.defined()) throw Unsupported("the tracer needs results that are tensors, and one is undefined");
    values.emplace_back(result);
  }
  for (const torch::Tensor& gradient : gradients) values.emplace_back(gradient);
  if (values.size() == 1) return values[0];
  return c10::ivalue::Tuple::create(std::move(values));
}

// A recorded iteration: the graph, and what it computed while it was recorded.
struct Recording {
  std::shared_ptr<jit::Graph> graph;
  Tensors results, gradients;
  std::vector<GeneratorState> generators;
};

Recording record(Workload& workload, Mode mode, const Tensors& inputs, jit::Module& module) {
  Recording recording;
  std::vector<c10::IValue> stack(inputs.begin(), inputs.end());
  const auto run = [&](const jit::Stack&) {
    workload.iterate();
    recording.results = workload.results();
    if (mode == Mode::train) recording.gradients = gradients_of(workload.parameters());
    return jit::Stack{output_of(recording.results, recording.gradients)};
  };
  const auto no_name = [](const torch::autograd::Variable&) { return std::string(); };
  record_masks();
  if (mode == Mode::train) record_composites_in_parts();
  const KnownValues known;
  recording.graph = jit::tracer::trace(std::move(stack), run, no_name, true, false, &module).first->graph;
  recording.generators = known.generators();
  return recording;
}

// The nodes of tensors that the graph found, and did not see made.
void find_constants(jit::Block* block, std::vector<jit::Node*>& into) {
  for (jit::Node* node : block->nodes()) {
    if (node->kind() == jit::prim::Constant) {
      const auto value = jit::toIValue(node->output());
      if (value && value->isTensor() && value->toTensor().defined()) into.push_back(node);
    }
    for (jit::Block* inner : node->blocks()) find_constants(inner, into);
  }
}

torch::Tensor tensor_of(const jit::Node* node) {
  return jit::toIValue(node->output())->toTensor();
}

Tensors constants_of(jit::Graph& graph) {
  std::vector<jit::Node*> nodes;
  find_constants(graph.block(), nodes);
  Tensors tensors;
  std::set<Impl> there;
  for (const jit::Node* node : nodes) add_new({tensor_of(node)}, tensors, there);
  return tensors;
}

std::string attribute(std::size_t index) {
  return "state_" + std::to_string(index);
}

// Tensors that outlive an iteration become inputs where nothing changes them, and else attributes of the module:
// LibTorch folds constants, and what depends on data must not be folded.
void lift_constants(jit::Graph& graph, const std::set<Impl>& kept, bool as_inputs, jit::Module& module, Tensors& inputs,
                    std::size_t attributes) {
  std::vector<jit::Node*> nodes;
  find_constants(graph.block(), nodes);
  std::map<Impl, jit::Value*> lifted;
  for (jit::Node* node : nodes) {
    const torch::Tensor tensor = tensor_of(node);
    if (kept.count(impl(tensor)) == 0) continue;
    jit::Value*& value = lifted[impl(tensor)];
    if (value == nullptr && as_inputs) {
      value = graph.addInput();
      value->setType(c10::TensorType::get());
      inputs.push_back(tensor);
    } else if (value == nullptr) {
      const std::string name = attribute(attributes++);
      module.register_parameter(name, tensor, true);
      const jit::WithInsertPoint at_begin(*graph.nodes().begin());
      value = graph.insertGetAttr(graph.inputs().at(0), name);
    }
    node->output()->replaceAllUsesWith(value);
  }
}

// The compiled iteration runs without autograd, so what it changes does not ask for gradients.
void detach_attributes(jit::Module& module, std::size_t attributes) {
  for (std::size_t i = 0; i < attributes; ++i)
    module.setattr(attribute(i), module.attr(attribute(i)).toTensor().detach());
}

jit::Module empty_module() {
  return jit::Module(c10::QualifiedName("tbci.TracedIteration"));
}

jit::Module module_with(const Tensors& state) {
  jit::Module module = empty_module();
  for (std::size_t i = 0; i < state.size(); ++i) module.register_parameter(attribute(i), state[i], true);
  return module;
}

[[noreturn]] void refuse(const std::exception& error) {
  const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
  const std::string message = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
  const bool unseen = message.find("did not have observable data dependence") != std::string::npos;
  throw Unsupported("LibTorch's tracer cannot record it: " +
                    (unseen ? "it does not see where a result comes from" : exported::telling_line(message)));
}

Traced trace_understood(Workload& workload, Mode mode, std::uint64_t seed) {
  const Tensors state = declared_state(workload);
  Tensors inputs;
  std::set<Impl> there;
  for (const torch::Tensor& tensor : state) there.insert(impl(tensor));
  add_new(workload.inputs(), inputs, there);

  // Of what the first recording found, the second one finds again what outlives an iteration.
  jit::Module first_module = module_with(state);
  Recording first;
  const std::int64_t products = products_in([&] { first = record(workload, mode, inputs, first_module); });
  const Tensors found = constants_of(*first.graph);
  Tensors all = state;
  all.insert(all.end(), inputs.begin(), inputs.end());
  all.insert(all.end(), found.begin(), found.end());
  Snapshot before(all);

  jit::Module module = module_with(state);
  torch::manual_seed(seed);
  Recording recording = record(workload, mode, inputs, module);
  before.add(std::move(recording.generators));
  std::set<Impl> kept;
  for (const torch::Tensor& tensor : found) kept.insert(impl(tensor));
  lift_constants(*recording.graph, kept, mode == Mode::infer, module, inputs, state.size());
  const std::size_t attributes = module.buffers(false).size();
  recording.graph->lint();
  module.type()->addMethod(module._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*module.type()->name(), "forward"), recording.graph));
  detach_attributes(module, attributes);
  return {std::move(module),
          std::move(inputs),
          workload.parameters(),
          std::move(recording.results),
          std::move(recording.gradients),
          products,
          std::move(before)};
}

}  // namespace

Snapshot::Snapshot(const Tensors& tensors) {
  const torch::NoGradGuard no_gradients;
  for (const torch::Tensor& tensor : tensors) kept_.push_back({tensor, tensor.detach().clone()});
}

void Snapshot::restore() const {
  const torch::NoGradGuard no_gradients;
  for (const Kept& each : kept_) each.tensor.detach().copy_(each.copy);
  for (const GeneratorState& each : generators_) {
    at::Generator generator = each.generator;
    generator.set_state(each.state);
  }
}

Traced trace(Workload& workload, Mode mode, std::uint64_t seed) {
  try {
    return trace_understood(workload, mode, seed);
  } catch (const Unsupported&) {
    jit::tracer::abandon();
    throw;
  } catch (const std::exception& error) {
    jit::tracer::abandon();
    const bool of_memory = dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr ||
                           dynamic_cast<const std::bad_alloc*>(&error) != nullptr || tells_of_memory(error.what());
    if (of_memory) throw;
    refuse(error);
  }
}

}  // namespace tbci::suite
