#include <limits>

#include "suite/blocks/sliding_attention.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

namespace tbci::suite::longformer_test {

TEST_CASE("Models: hf_Longformer", "[suite]") {
  // TorchBench asks for no global words, so their projections have nothing to do.
  std::vector<std::string> unreached;
  for (int i = 0; i < 12; ++i) {
    for (const char* name : {"query", "key", "value"}) {
      const std::string layer = "layer" + std::to_string(i) + ".self." + name + "_global.";
      unreached.push_back(layer + "weight");
      unreached.push_back(layer + "bias");
    }
  }
  check_model({.name = "hf_Longformer",
               .outputs = {{2, 32, 1000}},
               .outputs_on_gpu = {{2, 256, 1000}},
               .published = 148711257,
               .published_by = "transformers 5.23's LongformerForMaskedLM, counted",
               .unreached = unreached});
}

namespace {

const encoder::SlidingShape small{8, 2, 4, 0.0};

torch::Tensor projected(const torch::nn::Module& attention, const std::string& name, const torch::Tensor& x) {
  const auto parameters = attention.named_parameters();
  const torch::Tensor y = torch::linear(x, parameters[name + ".weight"], parameters[name + ".bias"]);
  return y.view({x.size(0), x.size(1), small.heads, -1}).transpose(1, 2);
}

// Over the whole matrix of scores. `mask` as the context has it.
torch::Tensor dense(const torch::nn::Module& attention, const torch::Tensor& x, const torch::Tensor& mask) {
  const torch::Tensor place = torch::arange(x.size(1));
  const torch::Tensor near = (place.unsqueeze(0) - place.unsqueeze(1)).abs() <= small.side;
  const torch::Tensor global = (mask > 0).unsqueeze(1), padded = (mask < 0).unsqueeze(1);
  const auto mixed = [&](const std::string& kind, const torch::Tensor& seen) {
    const torch::Tensor key = projected(attention, "key" + kind, x);
    const torch::Tensor scores = torch::matmul(projected(attention, "query" + kind, x), key.transpose(-1, -2)) / 2.0;
    const torch::Tensor weights = scores.exp() * seen.unsqueeze(1);
    return torch::matmul(weights / weights.sum(-1, true), projected(attention, "value" + kind, x));
  };
  const torch::Tensor local = mixed("", (near | global) & ~padded);
  const torch::Tensor everywhere = mixed("_global", ~padded.expand({-1, x.size(1), -1}));
  const torch::Tensor all = torch::where((mask > 0).unsqueeze(1).unsqueeze(-1), everywhere, local);
  return all.transpose(1, 2).reshape(x.sizes());
}

}  // namespace

TEST_CASE("Sliding attention: it equals dense attention within the window and to global words", "[suite]") {
  torch::manual_seed(5);
  encoder::SlidingAttention attention(small);
  const torch::Tensor x = torch::randn({2, 32, small.width});
  torch::Tensor mask = torch::zeros({2, 32});
  mask.slice(1, 29).fill_(std::numeric_limits<float>::lowest());  // padding
  const bool global = GENERATE(false, true);
  if (global) {
    mask[0][0] = mask[0][11] = mask[1][20] = 1.0;  // not equally many in both
  }
  const auto context = encoder::SlidingAttention::context(mask);
  CHECK(context.any_global == global);
  const torch::Tensor found = attention.forward(x, context);
  CHECK(torch::allclose(found.slice(1, 0, 29), dense(attention, x, mask).slice(1, 0, 29), 1e-4, 1e-5));
}

}  // namespace tbci::suite::longformer_test
