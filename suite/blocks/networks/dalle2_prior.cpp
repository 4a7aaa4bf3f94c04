#include "suite/blocks/networks/dalle2_prior.hpp"
#include "suite/blocks/linear.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tbci::suite::dalle2 {

namespace nn = torch::nn;

namespace {

constexpr std::int64_t buckets = 32;

// Near places have a bucket each, farther ones share them by the logarithm of the distance, up to 128.
Tensor bucket(const Tensor& steps_back) {
  constexpr std::int64_t exact = buckets / 2;
  const Tensor n = torch::maximum(steps_back, torch::zeros_like(steps_back));
  const Tensor logarithm = torch::log(n.to(torch::kFloat) / exact) / std::log(128.0 / exact);
  const Tensor shared = exact + (logarithm * (buckets - exact)).to(torch::kLong);
  return torch::where(n < exact, n, torch::minimum(shared, torch::full_like(shared, buckets - 1)));
}

}  // namespace

Words filled_up(const Tensor& words, const Tensor& embedded, const std::int64_t length) {
  const Tensor present = torch::any(words != 0, -1).slice(1, 0, length);
  const Tensor some = embedded.slice(1, 0, length);
  const std::int64_t missing = length - some.size(1);
  if (missing <= 0) return {present.unsqueeze(2), some};
  return {torch::constant_pad_nd(present, {0, missing}).unsqueeze(2), torch::constant_pad_nd(some, {0, 0, 0, missing})};
}

class Prior::Layer : public nn::Module {
 public:
  explicit Layer(const PriorShape& s, const std::shared_ptr<Rotation>& rotation) : rotation_(rotation) {
    attention_ = register_module(
        "attention", std::make_shared<SelfAttention>(SelfAttentionShape{s.width, s.heads, s.head_width, true, true}));
    norm_ = register_module("norm", std::make_shared<GainNorm>(s.width));
    widen_ = register_module("widen", linear(s.width, 8 * s.width, false));
    narrow_ = register_module("narrow", linear(4 * s.width, s.width, false));
  }

  Tensor forward(Tensor x, const Tensor& bias) {
    x = attention_->forward(x, bias, rotation_.get()) + x;
    const std::vector<Tensor> gated = widen_->forward(norm_->forward(x)).chunk(2, -1);
    return narrow_->forward(gated[0] * torch::silu(gated[1])) + x;
  }

 private:
  std::shared_ptr<Rotation> rotation_;
  std::shared_ptr<SelfAttention> attention_;
  std::shared_ptr<GainNorm> norm_;
  OneLinear widen_{nullptr}, narrow_{nullptr};
};

Prior::Prior(const PriorShape& shape) : shape_(shape) {
  const std::int64_t w = shape.width;
  asked_ = register_parameter("learned_query", torch::randn({w}));
  no_words_ = register_parameter("null_text_encodings", torch::randn({1, shape.words, w}));
  no_text_ = register_parameter("null_text_embeds", torch::randn({1, 1, w}));
  no_image_ = register_parameter("null_image_embed", torch::randn({1, w}));
  time_in_ = register_module("time_in", linear(w, 2 * w));
  time_middle_ = register_module("time_middle", linear(2 * w, 2 * w));
  time_out_ = register_module("time_out", linear(2 * w, w));
  bias_ = register_module("relative_attention_bias", nn::Embedding(buckets, shape.heads));
  rotation_ = register_module("rotary_emb", std::make_shared<Rotation>(std::min<std::int64_t>(32, shape.head_width)));
  for (int i = 0; i < shape.layers; ++i) {
    layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Layer>(shape, rotation_)));
  }
  norm_ = register_module("norm", std::make_shared<GainNorm>(w, /*stable=*/true));
  project_ = register_module("project_out", linear(w, w, false));
}

// For each head, by how far back a word looks. The first column is the learned key.
Tensor Prior::place_bias(const std::int64_t length) {
  const auto options = torch::TensorOptions().dtype(torch::kLong).device(asked_.device());
  const Tensor from = torch::arange(length, options).unsqueeze(1), to = torch::arange(length + 1, options).unsqueeze(0);
  return bias_->forward(bucket(-(to - from))).permute({2, 0, 1});
}

Tensor Prior::forward(const Tensor& noised, const Tensor& times, const TextCondition& text, const double drop) {
  const std::int64_t batch = noised.size(0);
  const Tensor keep_text = keep_mask(batch, 1 - drop, noised.device()).view({batch, 1, 1});
  const Tensor keep_image = keep_mask(batch, 1 - drop, noised.device()).view({batch, 1, 1});
  const Words filled = filled_up(text.words, text.words, shape_.words);
  const Tensor words = torch::where(filled.present.logical_and(keep_text), filled.words, no_words_);
  const Tensor whole = torch::where(keep_text, text.embedding.unsqueeze(1), no_text_);
  const Tensor image = torch::where(keep_image, noised.unsqueeze(1), no_image_);

  Tensor time = time_embedding(times.to(noised.dtype()), shape_.width);
  time = torch::silu(time_middle_->forward(torch::silu(time_in_->forward(time))));
  time = time_out_->forward(time).unsqueeze(1);
  const Tensor asked = asked_.view({1, 1, -1}).expand({batch, 1, -1});
  Tensor x = torch::cat({words, whole, time, image, asked}, 1);
  const Tensor bias = place_bias(x.size(1));
  for (const auto& layer : layers_) x = layer->forward(x, bias);
  return project_->forward(norm_->forward(x)).select(1, -1);
}

}  // namespace tbci::suite::dalle2
