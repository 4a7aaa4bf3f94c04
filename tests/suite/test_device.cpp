#include "tests/suite/test_device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>

#include "suite/device.hpp"
#include "suite/precision.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite {
namespace {

constexpr double tolerance = 1e-3;  // of the largest number of an output, in fp32

[[noreturn]] void stop(const std::string& why) {
  std::fprintf(stderr, "suite-test: TBCI_TEST_DEVICE: %s\n", why.c_str());
  std::exit(2);
}

DeviceKind read_device() {
  const char* asked = std::getenv("TBCI_TEST_DEVICE");
  const std::string name = asked != nullptr ? asked : "cpu";
  if (name == "cpu") return DeviceKind::cpu;
  if (name != "gpu") stop("'" + name + "' is neither cpu nor gpu");
  const GpuAbsence absence = why_unavailable(DeviceKind::gpu);
  if (!absence.why.empty()) stop(absence.why);
  prepare_precision(Precision::fp32, DeviceKind::gpu);
  return DeviceKind::gpu;
}

// All that an inference starts from, in an order that does not depend on the device.
Tensors state_of(const Workload& workload) {
  Tensors all = workload.inputs();
  if (const auto module = workload.module()) {
    for (const torch::Tensor& tensor : module->parameters()) all.push_back(tensor);
    for (const torch::Tensor& tensor : module->buffers()) all.push_back(tensor);
  }
  for (const torch::Tensor& tensor : workload.parameters()) all.push_back(tensor);
  return all;
}

// LibTorch notes for good whether there is CUDA when a test first asks it for something.
[[maybe_unused]] const DeviceKind asked_at_start = test_device();

}  // namespace

DeviceKind test_device() {
  static const DeviceKind device = read_device();
  return device;
}

bool repeats(const torch::Tensor& once, const torch::Tensor& again, double within) {
  if (test_device() == DeviceKind::cpu || !once.is_floating_point()) return torch::equal(once, again);
  return once.sizes() == again.sizes() && difference_of(once.cpu(), again) <= within;
}

std::unique_ptr<Workload> inference_on(const Benchmark& benchmark, DeviceKind device, std::int64_t batch) {
  torch::manual_seed(42);
  return benchmark.make({Mode::infer, Size::ci, batch, torch_device(device)});
}

void copy_state(const Workload& from, const Workload& to) {
  const torch::NoGradGuard no_gradients;
  const Tensors sources = state_of(from), targets = state_of(to);
  REQUIRE(sources.size() == targets.size());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!sources[i].defined()) continue;
    INFO("input or weight " << i);
    REQUIRE(sources[i].sizes() == targets[i].sizes());
    torch::Tensor target = targets[i];
    target.copy_(sources[i]);
  }
}

double difference_of(const torch::Tensor& truth, const torch::Tensor& other) {
  const torch::Tensor exact = truth.detach().cpu().to(torch::kDouble), near = other.detach().cpu().to(torch::kDouble);
  if (exact.numel() == 0) return 0.0;
  const double largest = exact.abs().max().item<double>();
  return (exact - near).abs().max().item<double>() / std::max(largest, 1e-6);
}

void check_against_cpu(const Benchmark& benchmark, const Expected& expected) {
  const std::string why = !expected.repeats                  ? "it draws random numbers"
                          : !expected.outputs_on_gpu.empty() ? "its original takes other lengths on a CPU"
                                                             : expected.differs_on_gpu;
  if (!why.empty()) {
    WARN(expected.name << " is not compared with the CPU: " << why);
    return;
  }
  const auto cpu = inference_on(benchmark, DeviceKind::cpu, expected.batch);
  const auto gpu = inference_on(benchmark, DeviceKind::gpu, expected.batch);
  if (cpu->inputs().empty()) {
    WARN(expected.name << " is not compared with the CPU: it shows no inputs");
    return;
  }
  copy_state(*cpu, *gpu);
  cpu->iterate();
  gpu->iterate();
  const Tensors outputs = cpu->results(), others = gpu->results();
  REQUIRE(outputs.size() == others.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    INFO("output " << i << " of the shape " << outputs[i].sizes());
    REQUIRE(outputs[i].sizes() == others[i].sizes());
    const double difference = difference_of(outputs[i], others[i]);
    CHECK(difference <= tolerance);
    largest = std::max(largest, difference);
  }
  std::printf("%s: the GPU's outputs differ from the CPU's by %.1e of the largest\n", expected.name.c_str(), largest);
}

}  // namespace tbci::suite
