// What the benchmarks of dlrm share: layers, and the dot products between all features.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite {

// What follows the last layer. The original has a ReLU there too, as it asks for a sigmoid at none: so a top whose last
// weights are negative by chance is dead from the start, and `relu_alive` makes them positive.
enum class AfterLast { relu, relu_alive, nothing };

// Linear layers of these sizes, with a ReLU after each but the last. Without `random`, weights are drawn by the default
// generator.
torch::nn::Sequential dlrm_layers(const std::vector<std::int64_t>& sizes, AfterLast after_last,
                                  const at::Generator& random = {});

// The products of all pairs of features, [batch, pairs], from [batch, features, width]. `first` and `second` number the
// features of each pair.
torch::Tensor dlrm_products(const torch::Tensor& features, const torch::Tensor& first, const torch::Tensor& second);

// `features`: of [batch, width] each, the dense one first. Gives the dense one and those products: of [batch,
// dlrm_top_inputs].
torch::Tensor dlrm_interactions(const std::vector<torch::Tensor>& features, const torch::Tensor& first,
                                const torch::Tensor& second);

constexpr std::int64_t dlrm_top_inputs(std::int64_t features, std::int64_t width) {
  return features * (features - 1) / 2 + width;
}

}  // namespace tbci::suite
