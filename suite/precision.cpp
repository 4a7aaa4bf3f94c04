#include "suite/precision.hpp"

#include <utility>

#include <torch/torch.h>

#include <ATen/Context.h>

#include "suite/autocast.hpp"
#include "suite/benchmark.hpp"
#include "suite/device.hpp"
#include "suite/element_types.hpp"

namespace tbci::suite {
namespace {

// Autocast casts the weights for each forward pass; the parameters and the optimizer stay in fp32.
class AutocastWorkload final : public Workload {
 public:
  AutocastWorkload(std::unique_ptr<Workload> inner, DeviceKind device) : inner_(std::move(inner)), autocast_(device) {}

  void iterate() override {
    const Autocast::On on(autocast_);
    inner_->iterate();
  }
  Tensors results() const override { return inner_->results(); }
  Tensors parameters() const override { return inner_->parameters(); }
  std::shared_ptr<torch::nn::Module> module() const override { return inner_->module(); }
  Tensors inputs() const override { return inner_->inputs(); }
  void restart_evidence() override { inner_->restart_evidence(); }
  std::vector<Evidence> evidence() const override { return inner_->evidence(); }

 private:
  std::unique_ptr<Workload> inner_;
  Autocast autocast_;
};

// The handle stays the same, so everything that shares it (an optimizer, the forward function) uses the new data.
void convert(const Tensors& tensors, at::ScalarType type) {
  for (torch::Tensor tensor : tensors) {
    if (tensor.defined() && tensor.is_floating_point() && tensor.scalar_type() != type)
      tensor.set_data(tensor.detach().to(type));
  }
}

void convert(Workload& workload, Precision precision) {
  const at::ScalarType type = precision == Precision::fp16 ? at::kHalf : at::kBFloat16;
  const std::string name(name_of(precision));
  const auto module = workload.module();
  const Tensors inputs = workload.inputs();
  if (module == nullptr)
    throw Unsupported("it shows no module whose parameters could be converted to " + name + "; amp may do");
  if (inputs.empty()) throw Unsupported("it shows no inputs that could be converted to " + name + "; amp may do");
  const torch::NoGradGuard no_gradients;
  convert(module->parameters(), type);
  convert(module->buffers(), type);
  convert(workload.parameters(), type);
  convert(inputs, type);
}

at::ScalarType type_of(Precision precision, DeviceKind device) {
  if (precision == Precision::amp) return Autocast::type_on(device);
  return precision == Precision::fp16 ? at::kHalf : at::kBFloat16;
}

// An error about types: no kernel exists for them, or two types do not match.
bool tells_of_types(const std::string& message) {
  for (const char* words : {"dtype", "Half", "BFloat16", "scalar type", "data type", "same type"}) {
    if (message.find(words) != std::string::npos) return true;
  }
  return false;
}

}  // namespace

std::string_view name_of(Precision precision) {
  for (const NamedPrecision& each : all_precisions) {
    if (each.precision == precision) return each.name;
  }
  return "unknown";
}

std::string why_no_precision(Precision precision, DeviceKind device) {
  if (precision != Precision::tf32 && precision != Precision::pytorch) return {};
  if (device == DeviceKind::cpu) {
    return precision == Precision::tf32 ? "tf32 exists on GPUs only, not on a CPU"
                                        : "PyTorch's own precision differs from fp32 on GPUs only, not on a CPU";
  }
  constexpr int ampere = 8;
  if (gpu_compute_capability() < ampere) return "this GPU is older than tf32 (compute capability 8.0)";
  return {};
}

void prepare_precision(Precision precision, DeviceKind device) {
  if (device == DeviceKind::cpu) return;
  // Both are set, whatever this LibTorch's defaults are.
  at::globalContext().setAllowTF32CuBLAS(precision == Precision::tf32);
  at::globalContext().setAllowTF32CuDNN(precision == Precision::tf32 || precision == Precision::pytorch);
}

std::unique_ptr<Workload> in_precision(std::unique_ptr<Workload> workload, Precision precision, DeviceKind device) {
  switch (precision) {
    case Precision::fp32:
    case Precision::pytorch:
    case Precision::tf32:
      return workload;
    case Precision::fp16:
    case Precision::bf16:
      convert(*workload, precision);
      return workload;
    case Precision::amp:
      return std::make_unique<AutocastWorkload>(std::move(workload), device);
  }
  return workload;
}

std::map<std::string, std::int64_t> check_precision(Workload& workload, Precision precision, DeviceKind device) {
  if (precision == Precision::fp32 || precision == Precision::pytorch || precision == Precision::tf32) return {};
  ElementTypes seen;
  try {
    watch_element_types([&] { workload.iterate(); }, seen);
  } catch (const c10::OutOfMemoryError&) {
    throw;
  } catch (const std::exception& error) {
    const auto* of_torch = dynamic_cast<const c10::Error*>(&error);
    const std::string message = of_torch != nullptr ? of_torch->what_without_backtrace() : error.what();
    if (!tells_of_types(message)) throw;
    const std::string where = seen.failed_in.empty() ? "" : " in " + seen.failed_in;
    throw Unsupported("it fails in " + std::string(name_of(precision)) + where + ": " +
                      message.substr(0, message.find('\n')));
  }
  const std::string type = short_name(type_of(precision, device));
  if (seen.operators.count(type) == 0)
    throw Unsupported("none of its operators computes in " + type + ", so " + std::string(name_of(precision)) +
                      " would change nothing");
  return std::move(seen.operators);
}

}  // namespace tbci::suite
