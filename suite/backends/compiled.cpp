#include "suite/backends/compiled.hpp"

#include <algorithm>
#include <utility>

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/runtime/interpreter.h>

#include "suite/backends/onednn_graph.hpp"
#include "suite/exported/package.hpp"

#if __has_include(<torch/csrc/jit/passes/onednn_graph_fuser.h>)
#define TBCI_WITH_ONEDNN_GRAPH
#include <torch/csrc/jit/passes/fuse_linear.h>
#include <torch/csrc/jit/passes/onednn_graph_fuser.h>
#endif

namespace tbci::suite {
namespace {

namespace jit = torch::jit;

// Their shapes alone: a compiler may keep the weights in another form, and then the model's own need not stay.
Tensors without_memory(const Tensors& parameters) {
  Tensors shapes;
  for (const torch::Tensor& parameter : parameters)
    shapes.push_back(torch::empty(parameter.sizes(), torch::TensorOptions().device(torch::kMeta)));
  return shapes;
}

// What gives the results and the gradients at once.
class TracedIteration : public CompiledWorkload {
 public:
  explicit TracedIteration(const Traced& traced)
      : inputs_(traced.inputs), parameters_(without_memory(traced.parameters)), results_(traced.results.size()) {}

  void iterate() final {
    const torch::NoGradGuard no_gradients;  // a traced backward pass is operators like any others
    const c10::IValue output = run({inputs_.begin(), inputs_.end()});
    outputs_.clear();
    if (output.isTensor()) {
      outputs_.push_back(output.toTensor());
    } else {
      for (const c10::IValue& value : output.toTupleRef().elements()) outputs_.push_back(value.toTensor());
    }
  }

  Tensors results() const final { return part(0, results_); }
  Tensors gradients() const final { return part(results_, outputs_.size()); }
  Tensors parameters() const final { return parameters_; }
  Tensors inputs() const final { return inputs_; }

 private:
  virtual c10::IValue run(std::vector<c10::IValue> arguments) = 0;

  Tensors part(std::size_t from, std::size_t to) const {
    const auto at = [&](std::size_t index) {
      return outputs_.begin() + static_cast<std::ptrdiff_t>(std::min(index, outputs_.size()));
    };
    return Tensors(at(from), at(to));
  }

  Tensors inputs_, parameters_;
  std::size_t results_;
  Tensors outputs_;
};

class ScriptedIteration final : public TracedIteration {
 public:
  ScriptedIteration(jit::Module module, const Traced& traced)
      : TracedIteration(traced), module_(std::move(module)), forward_(module_.get_method("forward")) {}

 private:
  c10::IValue run(std::vector<c10::IValue> arguments) override { return forward_(std::move(arguments)); }

  jit::Module module_;
  jit::Method forward_;
};

class InterpretedIteration final : public TracedIteration {
 public:
  explicit InterpretedIteration(const Traced& traced)
      : TracedIteration(traced), module_(traced.module), code_(module_.get_method("forward").graph(), "iteration") {}

 private:
  c10::IValue run(std::vector<c10::IValue> arguments) override {
    arguments.insert(arguments.begin(), module_._ivalue());
    jit::InterpreterState(code_).run(arguments);
    return arguments.back();
  }

  jit::Module module_;
  jit::Code code_;
};

class PackagedIteration final : public CompiledWorkload {
 public:
  PackagedIteration(std::unique_ptr<Workload> package, Tensors parameters)
      : package_(std::move(package)), parameters_(std::move(parameters)) {}

  void iterate() override { package_->iterate(); }
  Tensors results() const override { return package_->results(); }
  Tensors parameters() const override { return parameters_; }
  Tensors inputs() const override { return package_->inputs(); }

 private:
  std::unique_ptr<Workload> package_;
  Tensors parameters_;
};

bool uses_inputs(const jit::Graph& graph) {
  return graph.inputs().size() < 2 || std::any_of(graph.inputs().begin() + 1, graph.inputs().end(),
                                                  [](const jit::Value* input) { return !input->uses().empty(); });
}

jit::Module frozen(const jit::Module& module) {
  jit::Module copy = module.copy();
  copy.eval();
  jit::Module result = jit::freeze(copy);
  if (!uses_inputs(*result.get_method("forward").graph()))
    throw Unsupported("freezing computes all of its results once for all: they do not depend on its inputs");
  return result;
}

// LibTorch's C++ `linear` calls addmm, which the executor takes apart into a product and a sum. oneDNN's part for these
// finds no output; it has one for `linear`.
jit::Module for_onednn_graph(const jit::Module& module) {
#ifdef TBCI_WITH_ONEDNN_GRAPH
  jit::RegisterLlgaFuseGraph::setEnabled(true);
  const jit::Module own = module.clone();  // a copy has the graph of the original
  auto graph = own.get_method("forward").graph();
  jit::FuseLinear(graph);
  suit_onednn_graph(*graph);  // freezing forgets some types
  jit::Module result = frozen(own);
  suit_onednn_graph(*result.get_method("forward").graph());
  return result;
#else
  return frozen(module);
#endif
}

}  // namespace

std::unique_ptr<CompiledWorkload> interpreted(const Traced& traced) {
  return std::make_unique<InterpretedIteration>(traced);
}

std::unique_ptr<CompiledWorkload> compiled(Backend backend, const Traced& traced) {
  if (backend == Backend::jit) return std::make_unique<ScriptedIteration>(traced.module, traced);
  if (backend == Backend::onednn_graph)
    return std::make_unique<ScriptedIteration>(for_onednn_graph(traced.module), traced);
  jit::Module module = frozen(traced.module);
  return std::make_unique<ScriptedIteration>(jit::optimize_for_inference(module), traced);
}

std::unique_ptr<CompiledWorkload> packaged(const std::string& file, const Traced& traced, const torch::Device& device) {
  const exported::ModelFile model{"its package", exported::Format::package, file, 0};
  exported::Inputs inputs;
  inputs.tensors = traced.inputs;
  return std::make_unique<PackagedIteration>(exported::load_package(model, inputs, device),
                                             without_memory(traced.parameters));
}

}  // namespace tbci::suite
