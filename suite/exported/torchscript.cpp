#include "suite/exported/torchscript.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include "suite/exported/archive.hpp"
#include "suite/exported/reason.hpp"

namespace tbci::suite::exported {
namespace {

constexpr ArchiveLimits module_limits{std::uint64_t{64} << 30, std::uint64_t{64} << 30};
constexpr int deepest = 8;

// The tensors of whatever a module returns, as far as it is a tensor, or lists, tuples and dicts of them.
void collect(const c10::IValue& value, int depth, Tensors& into) {
  if (depth > deepest) return;
  if (value.isTensor()) {
    into.push_back(value.toTensor());
  } else if (value.isTensorList()) {
    for (const torch::Tensor& tensor : value.toTensorVector()) into.push_back(tensor);
  } else if (value.isList()) {
    for (const c10::IValue& each : value.toListRef()) collect(each, depth + 1, into);
  } else if (value.isTuple()) {
    for (const c10::IValue& each : value.toTupleRef().elements()) collect(each, depth + 1, into);
  } else if (value.isGenericDict()) {
    for (const auto& entry : value.toGenericDict()) collect(entry.value(), depth + 1, into);
  }
}

class ScriptWorkload final : public Workload {
 public:
  ScriptWorkload(torch::jit::Module module, const Inputs& inputs, std::string name)
      : module_(std::move(module)),
        forward_(module_.get_method("forward")),
        inputs_(inputs.tensors),
        running_(std::move(name) + " does not run on its inputs (" + inputs.text() + ")") {
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      if (inputs.names.empty()) {
        positional_.emplace_back(inputs_[i]);
      } else {
        named_[inputs.names[i]] = inputs_[i];
      }
    }
  }

  void iterate() override {
    const torch::NoGradGuard no_gradients;
    try {
      output_ = forward_(positional_, named_);
    } catch (...) {
      rethrow(running_);
    }
  }

  Tensors results() const override {
    Tensors tensors;
    collect(output_, 0, tensors);
    return tensors;
  }

  Tensors parameters() const override {
    Tensors all;
    for (const torch::Tensor& parameter : module_.parameters()) all.push_back(parameter);
    return all;
  }

  Tensors inputs() const override { return inputs_; }

 private:
  torch::jit::Module module_;
  torch::jit::Method forward_;
  Tensors inputs_;
  std::vector<c10::IValue> positional_;
  std::unordered_map<std::string, c10::IValue> named_;
  std::string running_;
  c10::IValue output_;
};

// What torch.jit.save writes has code; what torch.save writes (a state dict, a module of Python) has none.
bool has_code(const Archive& archive) {
  return std::any_of(archive.entries.begin(), archive.entries.end(),
                     [](const ArchiveEntry& entry) { return entry.name.find("/code/") != std::string::npos; });
}

}  // namespace

std::unique_ptr<Workload> load_torchscript(const ModelFile& model, const Inputs& inputs, const torch::Device& device) {
  Archive archive;
  const std::string why = read_archive(model.file, module_limits, archive);
  if (!why.empty()) throw std::runtime_error(model.name + " does not load: " + why);
  if (!has_code(archive)) {
    throw std::runtime_error(model.name +
                             " is not a TorchScript module: there is no code in it (was it torch.save? use "
                             "torch.jit.save(torch.jit.trace(model, inputs), file))");
  }
  try {
    torch::jit::Module module = torch::jit::load(model.file.string(), device);
    module.eval();
    return std::make_unique<ScriptWorkload>(std::move(module), inputs.to(device), model.name);
  } catch (...) {
    rethrow(model.name + " does not load");
  }
}

}  // namespace tbci::suite::exported
