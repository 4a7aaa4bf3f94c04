#include "suite/blocks/transformer_encoder.hpp"

#include "suite/blocks/dot_product_attention.hpp"

namespace tbci::suite::encoder {

namespace nn = torch::nn;

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

torch::Tensor merge_heads(const torch::Tensor& x) {
  return x.transpose(1, 2).contiguous().view({x.size(0), x.size(2), -1});
}

DenseAttention::DenseAttention(const AttentionShape& shape) : shape_(shape) {
  query_ = register_module("query", OneLinear(shape.width, shape.width));
  key_ = register_module("key", OneLinear(shape.width, shape.width));
  value_ = register_module("value", OneLinear(shape.width, shape.width));
}

torch::Tensor DenseAttention::forward(const torch::Tensor& x, const Context&) {
  const auto heads = [&](OneLinear& layer) { return split_heads(layer->forward(x), shape_.heads); };
  suite::Attention attention{heads(query_), heads(key_), heads(value_)};
  attention.dropout = is_training() ? shape_.dropout : 0.0;
  return merge_heads(attend(attention));
}

DenseAttention::Context nothing_padded(const torch::Tensor& words) {
  const torch::Tensor real = torch::ones(words.sizes(), words.options().dtype(torch::kBool));
  TORCH_CHECK(real.all().item<bool>(), "no word is padded");
  return {};
}

Filled fill_up(const torch::Tensor& words, const Filling& filling) {
  const std::int64_t missing = (filling.multiple - words.size(1) % filling.multiple) % filling.multiple;
  const torch::Tensor real = torch::ones(words.sizes(), words.options().dtype(torch::kFloat));
  if (missing == 0) return {words, real};
  return {torch::constant_pad_nd(words, {0, missing}, filling.padding), torch::constant_pad_nd(real, {0, missing}, 0)};
}

EmbeddingShape as_roberta(EmbeddingShape shape) {
  shape.epsilon = 1e-5;
  shape.padding = roberta_padding;
  shape.count_past_padding = true;
  return shape;
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

torch::Tensor flat_word_loss(const torch::Tensor& scores, const torch::Tensor& labels) {
  return at::cross_entropy_loss(scores.view({-1, scores.size(2)}), labels.view(-1));
}

}  // namespace tbci::suite::encoder
