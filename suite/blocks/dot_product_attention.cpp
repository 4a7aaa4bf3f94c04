#include "suite/blocks/dot_product_attention.hpp"

#include <cmath>

#include <torch/version.h>

namespace tbci::suite {

torch::Tensor attend(const Attention& a) {
#if TORCH_VERSION_MAJOR >= 2
  if (!a.scale && a.mask.defined())
    return at::scaled_dot_product_attention(a.query, a.key, a.value, a.mask, a.dropout, a.causal);
  if (!a.scale) return at::scaled_dot_product_attention(a.query, a.key, a.value, {}, a.dropout, a.causal);
#endif
#if TORCH_VERSION_MAJOR > 2 || (TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR >= 4)
  const auto mask = a.mask.defined() ? std::optional<torch::Tensor>(a.mask) : std::nullopt;
  return at::scaled_dot_product_attention(a.query, a.key, a.value, mask, a.dropout, a.causal, a.scale);
#else
  const double scale = a.scale.value_or(1.0 / std::sqrt(static_cast<double>(a.query.size(-1))));
  torch::Tensor scores = torch::matmul(a.query * scale, a.key.transpose(-2, -1));
  torch::Tensor allowed = a.mask;
  if (a.causal) allowed = torch::ones_like(scores[0][0], torch::kBool).tril();
  if (allowed.defined()) {
    scores = allowed.scalar_type() == torch::kBool ? scores.masked_fill(~allowed, -INFINITY) : scores + allowed;
  }
  return torch::matmul(torch::dropout(torch::softmax(scores, -1), a.dropout, a.dropout > 0.0), a.value);
#endif
}

torch::Tensor split_heads(const torch::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, x.size(2) / heads}).transpose(1, 2);
}

torch::Tensor join_heads(const torch::Tensor& x) {
  return x.transpose(1, 2).reshape({x.size(0), x.size(2), x.size(1) * x.size(3)});
}

}  // namespace tbci::suite
