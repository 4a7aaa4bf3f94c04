#include "tests/suite/torch_and_catch.hpp"

#include <memory>
#include <string>

#include <torch/csrc/jit/ir/ir.h>

#include <c10/core/impl/LocalDispatchKeySet.h>

#include "suite/backends/backend.hpp"
#include "suite/backends/products.hpp"
#include "suite/backends/trace.hpp"
#include "suite/registry.hpp"

namespace tbci::suite::products_test {

namespace {

const torch::jit::Graph& graph_of(const Traced& traced) {
  return *traced.module.get_method("forward").graph();
}

std::unique_ptr<Workload> make(const std::string& name, Mode mode) {
  torch::manual_seed(5);
  return find_benchmark(name)->make({mode, Size::ci, 2, torch::Device(torch::kCPU)});
}

// Three products, of which the tracer does not see the first `hidden`; nor what they give.
class Hidden final : public Workload {
 public:
  explicit Hidden(int hidden) : hidden_(hidden) {}
  void iterate() override {
    const torch::NoGradGuard no_gradients;
    torch::Tensor x = weights_;
    for (int i = 0; i < 3; ++i) x = i < hidden_ ? hidden_product(x) : x.mm(weights_);
    result_ = x + input_;
  }
  Tensors results() const override { return {result_}; }
  Tensors parameters() const override { return {weights_}; }
  Tensors inputs() const override { return {input_}; }

 private:
  torch::Tensor hidden_product(const torch::Tensor& x) const {
    const c10::impl::ExcludeDispatchKeyGuard from_tracer(c10::DispatchKey::Tracer);
    return x.mm(weights_);
  }

  int hidden_;
  torch::Tensor weights_ = torch::full({3, 3}, 0.5), input_ = torch::ones({3, 3}), result_;
};

class Columns final : public Workload {
 public:
  void iterate() override {
    const torch::NoGradGuard no_gradients;
    result_ = torch::matmul(torch::matmul(matrix_, matrix_), column_);
  }
  Tensors results() const override { return {result_}; }
  Tensors parameters() const override { return {}; }
  Tensors inputs() const override { return {column_, matrix_}; }

 private:
  torch::Tensor column_ = torch::ones({3}), matrix_ = torch::ones({3, 3}), result_;
};

std::string refusal_of(int hidden) {
  BackendRequest request;
  request.backend = Backend::jit;
  try {
    in_backend([hidden] { return std::make_unique<Hidden>(hidden); }, Mode::infer, request);
  } catch (const Unsupported& error) {
    return error.what();
  }
  return {};
}

}  // namespace

TEST_CASE("Products: the recorded iteration has those of any other, and so has its graph", "[products]") {
  // Convolutions; linear layers of two dimensions and tables; attention by batches of products.
  for (const char* name : {"resnet18", "dlrm", "hf_Bert"}) {
    for (const Mode mode : {Mode::infer, Mode::train}) {
      if (std::string(name) == "dlrm" && mode == Mode::train) continue;  // the tracer takes no sparse gradients
      CAPTURE(name, static_cast<int>(mode));
      const auto workload = make(name, mode);
      workload->iterate();
      const std::int64_t products = products_in([&] { workload->iterate(); });
      const Traced traced = trace(*workload, mode, 3);
      CHECK(products > 5);
      CHECK(traced.products == products);
      CHECK(are_most(products_of(graph_of(traced)), products));
      CHECK(products_of(graph_of(traced)) <= products);
    }
  }
}

TEST_CASE("Products: a matrix by a column is none, in a graph as when it runs", "[products]") {
  Columns workload;
  workload.iterate();
  const Traced traced = trace(workload, Mode::infer, 1);
  CHECK(traced.products == 1);
  CHECK(products_of(graph_of(traced)) == 1);
}

TEST_CASE("Products: a trace that misses more than a tenth of them is refused", "[products]") {
  CHECK(are_most(9, 10));
  CHECK_FALSE(are_most(8, 9));
  CHECK(are_most(0, 0));
  CHECK(refusal_of(0).empty());
  CHECK(refusal_of(1) ==
        "the trace has 2 of 3 matrix products and convolutions: the others were computed while it was recorded");
}

}  // namespace tbci::suite::products_test
