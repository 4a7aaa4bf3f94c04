#include "suite/blocks/transformer_encoder.hpp"

#include <cmath>

namespace tbci::suite::encoder {

namespace nn = torch::nn;

torch::Tensor attend(const Attended& heads, double dropout) {
#if TORCH_VERSION_MAJOR >= 2
  if (!heads.bias.defined()) {
    return at::scaled_dot_product_attention(heads.query, heads.key, heads.value, {}, dropout, false);
  }
  return at::scaled_dot_product_attention(heads.query, heads.key, heads.value, heads.bias, dropout, false);
#else
  const double root = std::sqrt(static_cast<double>(heads.query.size(-1)));
  torch::Tensor scores = torch::matmul(heads.query, heads.key.transpose(-2, -1)) / root;
  if (heads.bias.defined()) scores = scores + heads.bias;
  return torch::matmul(torch::dropout(torch::softmax(scores, -1), dropout, dropout > 0.0), heads.value);
#endif
}

torch::Tensor gelu(const torch::Tensor& x) {
  return torch::gelu(x);
}

void initialise(nn::Module& module) {
  const torch::NoGradGuard no_gradients;
  for (const auto& part : module.modules(false)) {
    if (auto* linear = part->as<nn::Linear>()) {
      linear->weight.normal_(0.0, 0.02);
      if (linear->bias.defined()) linear->bias.zero_();
    } else if (auto* embedding = part->as<nn::Embedding>()) {
      embedding->weight.normal_(0.0, 0.02);
      if (embedding->options.padding_idx()) embedding->weight.select(0, *embedding->options.padding_idx()).zero_();
    }
  }
}

torch::Tensor split_heads(const torch::Tensor& x, std::int64_t heads) {
  return x.view({x.size(0), x.size(1), heads, -1}).transpose(1, 2);
}

torch::Tensor merge_heads(const torch::Tensor& x) {
  return x.transpose(1, 2).contiguous().view({x.size(0), x.size(2), -1});
}

DenseAttention::DenseAttention(const AttentionShape& shape) : shape_(shape) {
  query_ = register_module("query", OneLinear(shape.width, shape.width));
  key_ = register_module("key", OneLinear(shape.width, shape.width));
  value_ = register_module("value", OneLinear(shape.width, shape.width));
}

torch::Tensor DenseAttention::forward(const torch::Tensor& x, const Context&) {
  const torch::Tensor query = split_heads(query_->forward(x), shape_.heads);
  const torch::Tensor key = split_heads(key_->forward(x), shape_.heads);
  const torch::Tensor value = split_heads(value_->forward(x), shape_.heads);
  return merge_heads(attend({query, key, value}, is_training() ? shape_.dropout : 0.0));
}

DenseAttention::Context nothing_padded(const torch::Tensor& words) {
  const torch::Tensor real = torch::ones(words.sizes(), words.options().dtype(torch::kBool));
  TORCH_CHECK(real.all().item<bool>(), "no word is padded");
  return {};
}

Embeddings::Embeddings(const EmbeddingShape& shape) : shape_(shape) {
  words_ = register_module(
      "words", nn::Embedding(nn::EmbeddingOptions(shape.vocabulary, shape.width).padding_idx(shape.padding)));
  places_ = nn::Embedding(shape.positions, shape.width);
  if (!shape.count_past_padding) register_module("places", places_);
  if (shape.segments > 0) segments_ = register_module("segments", nn::Embedding(shape.segments, shape.width));
  norm_ = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({shape.width}).eps(shape.epsilon)));
  if (shape.count_past_padding) register_module("places", places_);
  dropout_ = register_module("dropout", nn::Dropout(shape.dropout));
  place_numbers_ = register_buffer("place_numbers", torch::arange(shape.positions).unsqueeze(0));
  if (shape.segments > 0) segment_numbers_ = register_buffer("segment_numbers", torch::zeros_like(place_numbers_));
}

torch::Tensor Embeddings::places(const torch::Tensor& words) const {
  if (!shape_.count_past_padding) return place_numbers_.slice(1, 0, words.size(1));
  const torch::Tensor real = words.ne(shape_.padding).to(torch::kInt);
  return (torch::cumsum(real, 1).to(torch::kInt) * real).to(torch::kLong) + shape_.padding;
}

torch::Tensor Embeddings::forward(const torch::Tensor& words, const torch::Tensor& segments) {
  torch::Tensor x = words_->forward(words);
  if (shape_.segments > 0) {
    const bool given = segments.defined();
    x = x + segments_->forward(given ? segments : segment_numbers_.slice(1, 0, words.size(1)).expand(words.sizes()));
  }
  x = x + places_->forward(places(words));
  return shape_.norm_last ? norm_->forward(dropout_->forward(x)) : dropout_->forward(norm_->forward(x));
}

WordHead::WordHead(const HeadShape& shape) : activation_(shape.activation) {
  bias_ = register_parameter("bias", torch::zeros({shape.vocabulary}));
  dense_ = register_module("dense", OneLinear(shape.in, shape.width));
  norm_ = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({shape.width}).eps(shape.epsilon)));
}

torch::Tensor WordHead::forward(const torch::Tensor& x, const torch::Tensor& words) {
  return torch::linear(norm_->forward(activation_(dense_->forward(x))), words, bias_);
}

}  // namespace tbci::suite::encoder
