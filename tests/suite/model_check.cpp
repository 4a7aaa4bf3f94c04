#include "model_check.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>

#include "suite/device.hpp"
#include "suite/registry.hpp"
#include "tests/suite/test_device.hpp"
#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite {
namespace {

std::unique_ptr<Workload> make(const Benchmark& benchmark, const Mode mode, const std::int64_t batch,
                               const std::uint64_t seed = 42) {
  const torch::Device device = torch_device(test_device());  // before all that asks LibTorch for CUDA
  torch::set_num_threads(1);  // as the worker; two threads on a busy machine wait for each other
  torch::manual_seed(seed);
  return benchmark.make({mode, Size::ci, batch, device});
}

bool fits(const torch::Tensor& tensor, const std::vector<std::int64_t>& shape) {
  if (tensor.dim() != static_cast<std::int64_t>(shape.size())) return false;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != any && shape[i] != tensor.size(static_cast<std::int64_t>(i))) return false;
  }
  return true;
}

Tensors copies(const Tensors& tensors) {
  Tensors all;
  for (const torch::Tensor& tensor : tensors) all.push_back(tensor.detach().clone());
  return all;
}

void check_outputs(const Benchmark& benchmark, const Expected& expected) {
  const auto workload = make(benchmark, Mode::infer, expected.batch);
  const Tensors before = copies(workload->parameters());
  workload->iterate();
  const Tensors first = copies(workload->results());
  const bool others = test_device() == DeviceKind::gpu && !expected.outputs_on_gpu.empty();
  const auto& shapes = others ? expected.outputs_on_gpu : expected.outputs;
  REQUIRE(first.size() == shapes.size());
  for (std::size_t i = 0; i < first.size(); ++i) {
    INFO("output " << i << " has the shape " << first[i].sizes());
    CHECK(fits(first[i], shapes[i]));
    CHECK(torch::isfinite(first[i]).all().item<bool>());
  }
  workload->iterate();
  const Tensors again = workload->results();
  for (std::size_t i = 0; expected.repeats && i < first.size(); ++i) CHECK(repeats(first[i], again[i]));
  const Tensors after = workload->parameters();
  for (std::size_t i = 0; i < after.size(); ++i) CHECK(torch::equal(before[i], after[i]));
}

std::vector<double> losses(Workload& workload, const int count) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) {
    workload.iterate();
    double sum = 0.0;
    for (const torch::Tensor& loss : workload.results()) sum += loss.sum().item<double>();
    REQUIRE(std::isfinite(sum));
    all.push_back(sum);
  }
  return all;
}

void check_training(const Benchmark& benchmark, const Expected& expected) {
  REQUIRE(expected.steps >= 10);
  const auto mean = [](auto begin, auto end) { return std::accumulate(begin, end, 0.0) / 5.0; };
  // The number of steps suits the numbers that are drawn on the CPU. A GPU draws others: some five steps of more do.
  const bool gpu = test_device() == DeviceKind::gpu;
  const auto all =
      losses(*make(benchmark, Mode::train, expected.train_batch), gpu ? 3 * expected.steps : expected.steps);
  if (!expected.optimises) return;
  double least = mean(all.end() - 5, all.end());
  for (auto end = all.end(); gpu && end - all.begin() >= 10; --end) least = std::min(least, mean(end - 5, end));
  CHECK(least < mean(all.begin(), all.begin() + 5));
}

bool listed(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Each parameter by its name, or by its number where the model has no single module.
std::vector<std::string> names_of(const Workload& workload) {
  std::vector<std::string> names;
  if (const auto module = workload.module()) {
    for (const auto& parameter : module->named_parameters()) names.push_back(parameter.key());
  }
  const std::size_t count = workload.parameters().size();
  if (names.size() == count) return names;
  names.clear();
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::to_string(i));
  return names;
}

void check_gradients(const Benchmark& benchmark, const Expected& expected) {
  const auto workload = make(benchmark, Mode::train, expected.train_batch);
  const Tensors before = copies(workload->parameters());
  // On a GPU other layers are dropped by chance than on the CPU, where two iterations suffice.
  const bool gpu = test_device() == DeviceKind::gpu;
  const int iterations = gpu ? 8 : 2;
  std::vector<bool> had_gradient(before.size(), false);
  for (int i = 0; i < iterations; ++i) {
    workload->iterate();
    if (!gpu && i + 1 < iterations) continue;
    const Tensors now = workload->parameters();
    for (std::size_t at = 0; at < now.size(); ++at) {
      const bool has = now[at].grad().defined() && now[at].grad().abs().sum().item<double>() > 0.0;
      had_gradient[at] = had_gradient[at] || has;
    }
  }
  const Tensors after = workload->parameters();
  const auto names = names_of(*workload);
  REQUIRE(after.size() == before.size());
  REQUIRE(!after.empty());
  for (std::size_t i = 0; i < after.size(); ++i) {
    INFO("parameter " << names[i] << " of shape " << after[i].sizes());
    const bool unreached = listed(expected.unreached, names[i]);
    if (gpu && unreached) continue;  // more iterations may reach it
    const bool moved = !expected.optimises || !torch::equal(before[i], after[i]);
    CHECK((had_gradient[i] && moved) != unreached);
  }
}

void check_seeds(const Benchmark& benchmark, const Expected& expected) {
  const Mode mode = benchmark.modes.train ? Mode::train : Mode::infer;
  const auto numbers = [&](const std::uint64_t seed) {
    const auto workload = make(benchmark, mode, expected.train_batch, seed);
    workload->iterate();
    workload->iterate();
    return copies(workload->results());
  };
  const Tensors once = numbers(1), again = numbers(1), other = numbers(2);
  REQUIRE(once.size() == again.size());
  for (std::size_t i = 0; i < once.size(); ++i) CHECK(repeats(once[i], again[i], mode == Mode::train ? 0.05 : 1e-3));
  CHECK_FALSE(std::equal(once.begin(), once.end(), other.begin(), other.end(),
                         [](const torch::Tensor& a, const torch::Tensor& b) { return torch::equal(a, b); }));
}

}  // namespace

void check_model(const Expected& expected) {
  const Benchmark* benchmark = find_benchmark(expected.name);
  REQUIRE(benchmark != nullptr);
  SECTION("says where it comes from") {
    CHECK_FALSE(benchmark->source.empty());
    CHECK_FALSE(benchmark->task.empty());
    CHECK((benchmark->modes.train || benchmark->modes.infer));
  }
  const bool gpu = test_device() == DeviceKind::gpu;
  if (benchmark->modes.infer && gpu && expected.infers_on_cpu_alone) {
    SECTION("inference on a GPU is refused") {
      CHECK_THROWS_AS(make(*benchmark, Mode::infer, expected.batch), Unsupported);
    }
  } else if (benchmark->modes.infer) {
    SECTION("inference gives finite outputs of the right shape, and the same again") {
      check_outputs(*benchmark, expected);
    }
    if (gpu) {
      SECTION("inference on the GPU gives what it gives on the CPU") {
        check_against_cpu(*benchmark, expected);
      }
    }
  }
  if (benchmark->modes.train) {
    SECTION("training makes the loss fall") {
      check_training(*benchmark, expected);
    }
    SECTION("training changes every parameter through its gradient") {
      check_gradients(*benchmark, expected);
    }
  }
  SECTION("the same seed gives the same numbers, another seed others") {
    check_seeds(*benchmark, expected);
  }
  if (!expected.large) {
    SECTION("the paper size has the parameters of the original") {
      check_parameters(expected);
    }
  }
}

void check_parameters(const Expected& expected) {
  const Benchmark* benchmark = find_benchmark(expected.name);
  REQUIRE(benchmark != nullptr);
  torch::set_num_threads(1);
  torch::manual_seed(1);
  const Mode mode = benchmark->modes.infer ? Mode::infer : Mode::train;
  const auto workload = benchmark->make({mode, Size::paper, 1, torch::Device(torch::kCPU)});
  std::int64_t count = 0;
  for (const torch::Tensor& parameter : workload->parameters()) count += parameter.numel();
  CHECK(count == benchmark->parameters);
  if (expected.published != 0) {
    INFO("published by " << expected.published_by);
    CHECK(count == expected.published);
    CHECK_FALSE(expected.published_by.empty());
  }
}

}  // namespace tbci::suite
