#include "suite/blocks/transformer_layer.hpp"

#include <cmath>

#include "suite/blocks/dot_product_attention.hpp"

namespace tbci::suite {

namespace nn = torch::nn;

ProjectedAttention::ProjectedAttention(const LayerShape& shape)
    : heads_(shape.heads), scale_the_query_(shape.scale_the_query) {
  const auto options = nn::LinearOptions(shape.width, shape.width);
  key_ = register_module("k_proj", OneLinear(nn::LinearOptions(options).bias(shape.key_bias)));
  value_ = register_module("v_proj", OneLinear(options));
  query_ = register_module("q_proj", OneLinear(options));
  output_ = register_module("out_proj", OneLinear(options));
}

torch::Tensor ProjectedAttention::forward(const torch::Tensor& x, const torch::Tensor& at, const View& view) {
  Attention attention{query_->forward(x), key_->forward(at), value_->forward(at), view.mask, view.causal};
  if (scale_the_query_) {
    attention.query = attention.query * (1.0 / std::sqrt(static_cast<double>(x.size(2) / heads_)));
    attention.scale = 1.0;
  }
  for (torch::Tensor* part : {&attention.query, &attention.key, &attention.value}) {
    *part = split_heads(*part, heads_);
    if (scale_the_query_) *part = part->contiguous();
  }
  return output_->forward(join_heads(attend(attention)));
}

TransformerLayer::TransformerLayer(const LayerShape& shape) : shape_(shape) {
  const nn::LayerNormOptions norm({shape.width});
  attention_ = register_module("self_attn", std::make_shared<ProjectedAttention>(shape));
  attention_norm_ = register_module("self_attn_layer_norm", nn::LayerNorm(norm));
  if (shape.looks_at_encoder) {
    encoder_attention_ = register_module("encoder_attn", std::make_shared<ProjectedAttention>(shape));
    encoder_attention_norm_ = register_module("encoder_attn_layer_norm", nn::LayerNorm(norm));
  }
  widen_ = register_module("fc1", OneLinear(shape.width, shape.inner));
  narrow_ = register_module("fc2", OneLinear(shape.inner, shape.width));
  final_norm_ = register_module("final_layer_norm", nn::LayerNorm(norm));
}

torch::Tensor TransformerLayer::forward(torch::Tensor x, const ProjectedAttention::View& view,
                                        const torch::Tensor& encoded) {
  x = with_residual(x, attention_norm_, [&](const torch::Tensor& t) { return attention_->forward(t, t, view); });
  if (encoder_attention_) {
    x = with_residual(x, encoder_attention_norm_,
                      [&](const torch::Tensor& t) { return encoder_attention_->forward(t, encoded, {}); });
  }
  return with_residual(x, final_norm_, [&](const torch::Tensor& t) { return feed_forward(t); });
}

template <class Part>
torch::Tensor TransformerLayer::with_residual(const torch::Tensor& x, nn::LayerNorm& norm, const Part& part) {
  const torch::Tensor change =
      torch::dropout(part(shape_.norm_first ? norm->forward(x) : x), shape_.dropout, is_training());
  return shape_.norm_first ? x + change : norm->forward(x + change);
}

torch::Tensor TransformerLayer::feed_forward(const torch::Tensor& x) {
  const torch::Tensor wide = widen_->forward(x);
  if (!shape_.quick_gelu) return narrow_->forward(torch::gelu(wide));
  return narrow_->forward(wide * torch::sigmoid(1.702 * wide));
}

}  // namespace tbci::suite
