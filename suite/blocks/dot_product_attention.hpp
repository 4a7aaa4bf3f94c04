// Scaled dot-product attention, with the fused operator if LibTorch has it (2.0 or newer; 2.4 for a custom scale), and
// the functions around it.
#pragma once

#include <cstdint>
#include <optional>

#include <torch/torch.h>

namespace tbci::suite {

// Queries, keys and values are [batch, heads, length, width of a head].
struct Attention {
  torch::Tensor query;
  torch::Tensor key;
  torch::Tensor value;
  torch::Tensor mask = {};  // added to the scores, or true where attention is allowed; undefined: everywhere
  bool causal = false;      // no word sees those after it; instead of a mask
  double dropout = 0.0;
  std::optional<double> scale = std::nullopt;  // of the scores; default: 1 / sqrt(width of a head)
};

torch::Tensor attend(const Attention& attention);

// [batch, length, width] to [batch, heads, length, width of a head], and back.
torch::Tensor split_heads(const torch::Tensor& x, std::int64_t heads);
torch::Tensor join_heads(const torch::Tensor& x);

}  // namespace tbci::suite
