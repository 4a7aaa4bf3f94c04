// What the benchmarks of dlrm share: layers, and the dot products between all features.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite {

// Linear layers of these sizes. A ReLU after each layer, the last one too: the original asks for a sigmoid at none. So
// a top whose last weights are negative by chance is dead from the start; `alive` makes them positive.
torch::nn::Sequential dlrm_layers(const std::vector<std::int64_t>& sizes, bool alive);

// `features`: of [batch, width] each, the dense one first. `first` and `second` number the features of each pair. Gives
// the dense feature and the products of all pairs: of [batch, dlrm_top_inputs].
torch::Tensor dlrm_interactions(const std::vector<torch::Tensor>& features, const torch::Tensor& first,
                                const torch::Tensor& second);

constexpr std::int64_t dlrm_top_inputs(std::int64_t features, std::int64_t width) {
  return features * (features - 1) / 2 + width;
}

}  // namespace tbci::suite
