#include <cmath>

#include "suite/blocks/reversible_layers.hpp"
#include "tests/suite/model_check.hpp"
#include "tests/suite/torch_and_catch.hpp"

using namespace tbci::suite;

TEST_CASE("Models: hf_Reformer", "[suite]") {
  // Each pass draws the directions of its hashes, in inference too.
  check_model({.name = "hf_Reformer",
               .outputs = {{2, 128, 320}},
               .outputs_on_gpu = {{2, 256, 320}},
               .published = 5975872,
               .published_by = "transformers 5.23's ReformerForMaskedLM, counted",
               .repeats = false});
}

namespace {

reformer::Layers two_layers() {
  const reformer::LayerShape shape{8, 2, 4, 16, 4, 4, 0.2};
  reformer::Layers layers{std::make_shared<reformer::Layer>(std::make_shared<reformer::LocalAttention>(shape), shape),
                          std::make_shared<reformer::Layer>(std::make_shared<reformer::HashedAttention>(shape), shape)};
  for (const auto& layer : layers) layer->to(torch::kDouble);
  return layers;
}

Tensors take_gradients(const reformer::Layers& layers, const torch::Tensor& x) {
  Tensors all{x.grad().clone()};
  x.mutable_grad().reset();
  for (const auto& layer : layers) {
    for (const auto& parameter : layer->parameters()) all.push_back(parameter.grad().clone());
    layer->zero_grad();
  }
  return all;
}

}  // namespace

TEST_CASE("Reversible layers: gradients equal those with stored activations and the same dropout", "[suite]") {
  torch::manual_seed(5);
  const auto layers = two_layers();
  const torch::Tensor x = torch::randn({2, 32, 16}, torch::kDouble).requires_grad_();
  const torch::Tensor weights = torch::randn({2, 32, 16}, torch::kDouble);
  const torch::Tensor found = reformer::run_reversibly(x, layers);
  (found * weights).sum().backward();
  const Tensors gradients = take_gradients(layers, x);

  const auto halves = x.chunk(2, -1);
  torch::Tensor first = halves[1], second = halves[0];
  for (const auto& layer : layers) {
    first = first + layer->attend_again(second);
    second = second + layer->feed_again(first);
  }
  const torch::Tensor expected = torch::cat({first, second}, -1);
  CHECK(torch::allclose(found, expected));
  (expected * weights).sum().backward();
  // The original gives the gradient of the halves in reverse order, which has no effect: both are the same text.
  Tensors others = take_gradients(layers, x);
  const auto swapped = others[0].chunk(2, -1);
  others[0] = torch::cat({swapped[1], swapped[0]}, -1);
  REQUIRE(gradients.size() == others.size());
  for (std::size_t i = 0; i < gradients.size(); ++i) CHECK(torch::allclose(gradients[i], others[i], 1e-7, 1e-9));
}

TEST_CASE("Hashed attention: softmax covers the words of a chunk and the one before, in hash order", "[suite]") {
  torch::manual_seed(5);
  const std::int64_t length = 16, chunk = 4;
  const reformer::LayerShape shape{4, 1, 4, 8, chunk, 4, 0.0};
  reformer::HashedAttention attention(shape);
  const torch::Tensor x = torch::randn({1, length, 4});
  attention.draw();
  torch::Tensor buckets;
  const torch::Tensor found = attention.forward(x, buckets);

  REQUIRE(buckets.sizes() == torch::IntArrayRef({1, 1, length}));
  const torch::Tensor order = std::get<1>(torch::sort(buckets[0][0], true, 0, false));
  const torch::Tensor rank = torch::empty_like(order).scatter_(0, order, torch::arange(length)) / chunk;
  const torch::Tensor chunk_of = rank.floor();
  const torch::Tensor before = torch::remainder(chunk_of - 1, length / chunk);
  const auto same = [&](const torch::Tensor& mine) { return mine.unsqueeze(1) == chunk_of.unsqueeze(0); };
  const torch::Tensor seen = (same(chunk_of) | same(before)) & ~torch::eye(length, torch::kBool);
  const auto parameters = attention.named_parameters();
  const torch::Tensor query = torch::linear(x[0], parameters["query_key.weight"]);
  const torch::Tensor key = query / (query.pow(2).mean(-1, true) + 1e-6).sqrt() / 2.0;
  const torch::Tensor scores = torch::matmul(query, key.t()).masked_fill(~seen, -INFINITY);
  const torch::Tensor expected =
      torch::matmul(torch::softmax(scores, -1), torch::linear(x[0], parameters["value.weight"]));
  CHECK(torch::allclose(found[0], expected, 1e-4, 1e-5));
}
