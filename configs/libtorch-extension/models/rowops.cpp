// row_norm, row_clip: the operators of the extension in configs/libtorch-extension.toml, through LibTorch's dispatcher.
// The worker has loaded the extension before it makes a model.
#include <ATen/core/dispatch/Dispatcher.h>

#include "suite/benchmark.hpp"

namespace tbci::suite::models::rowops {
namespace {

using Operator = c10::TypedOperatorHandle<at::Tensor(const at::Tensor&, double)>;

Operator find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<at::Tensor(const at::Tensor&, double)>();
}

class Calls final : public Workload {
 public:
  Calls(const char* name, double parameter, const Setup& setup)
      : operator_(find(name)),
        rows_(torch::randn({setup.batch, columns}, torch::TensorOptions().device(setup.device))),
        parameter_(parameter) {}

  void iterate() override {
    const torch::NoGradGuard no_grad;
    result_ = operator_.call(rows_, parameter_);
  }
  Tensors results() const override { return {result_}; }
  Tensors parameters() const override { return {}; }
  Tensors inputs() const override { return {rows_}; }

 private:
  static constexpr std::int64_t columns = 512;

  Operator operator_;
  torch::Tensor rows_, result_;
  double parameter_;
};

Benchmark calling(const char* benchmark, const char* name, double parameter) {
  return {.name = benchmark,
          .domain = "other",
          .task = name,
          .source = "the extension",
          .parameters = 0,
          .paper_batch = {.train = 1, .infer = 16384},
          .ci_batch = {.train = 1, .infer = 4096},
          .make = [name, parameter](const Setup& setup) { return std::make_unique<Calls>(name, parameter, setup); },
          .modes = {.train = false},
          .listed = Listed::later};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {calling("row_norm", "rowops::norm", 1e-5), calling("row_clip", "rowops::clip", 2.0)};
}

}  // namespace tbci::suite::models::rowops
