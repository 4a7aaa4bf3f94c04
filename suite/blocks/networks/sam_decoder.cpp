#include "suite/blocks/networks/sam_decoder.hpp"

#include <cmath>
#include <string>

#include "suite/blocks/linear.hpp"

namespace tbci::suite::sam {

namespace nn = torch::nn;
using torch::Tensor;

class Decoder::Attention : public nn::Module {
 public:
  Attention(const DecoderShape& s, const std::int64_t inner) : heads_(s.heads) {
    query_ = register_module("q_proj", OneLinear(s.width, inner));
    key_ = register_module("k_proj", OneLinear(s.width, inner));
    value_ = register_module("v_proj", OneLinear(s.width, inner));
    out_ = register_module("out_proj", OneLinear(inner, s.width));
  }

  Tensor forward(const Tensor& q, const Tensor& k, const Tensor& v) {
    const auto split = [this](const Tensor& x) {
      return x.reshape({x.size(0), x.size(1), heads_, -1}).transpose(1, 2);
    };
    const Tensor query = split(query_->forward(q)), key = split(key_->forward(k)), value = split(value_->forward(v));
    const double root = std::sqrt(static_cast<double>(query.size(3)));
    const Tensor weights = torch::softmax(torch::matmul(query, key.permute({0, 1, 3, 2})) / root, -1);
    const Tensor mixed = torch::matmul(weights, value).transpose(1, 2);
    return out_->forward(mixed.reshape({mixed.size(0), mixed.size(1), -1}));
  }

 private:
  std::int64_t heads_;
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr}, out_{nullptr};
};

namespace {

// What the layers hand on: the tokens (what to find) and the places of the image.
struct Both {
  Tensor tokens, image;
};

}  // namespace

class Decoder::TwoWayLayer : public nn::Module {
 public:
  TwoWayLayer(const DecoderShape& s, const bool first) : first_(first) {
    const auto norm = [&](const char* name) {
      return register_module(name, nn::LayerNorm(nn::LayerNormOptions({s.width})));
    };
    self_ = register_module("self_attn", std::make_shared<Attention>(s, s.width));
    self_norm_ = norm("norm1");
    to_image_ = register_module("cross_attn_token_to_image", std::make_shared<Attention>(s, s.width / 2));
    to_image_norm_ = norm("norm2");
    widen_ = register_module("lin1", OneLinear(s.width, s.inner));
    narrow_ = register_module("lin2", OneLinear(s.inner, s.width));
    fed_norm_ = norm("norm3");
    image_norm_ = norm("norm4");
    to_tokens_ = register_module("cross_attn_image_to_token", std::make_shared<Attention>(s, s.width / 2));
  }

  Both forward(const Both& both, const Both& places) {
    Tensor tokens = both.tokens;
    if (first_) {
      tokens = self_->forward(tokens, tokens, tokens);
    } else {
      const Tensor placed = tokens + places.tokens;
      tokens = tokens + self_->forward(placed, placed, tokens);
    }
    tokens = self_norm_->forward(tokens);
    const Tensor placed_image = both.image + places.image;
    tokens = to_image_norm_->forward(tokens + to_image_->forward(tokens + places.tokens, placed_image, both.image));
    tokens = fed_norm_->forward(tokens + narrow_->forward(torch::relu(widen_->forward(tokens))));
    const Tensor seen = to_tokens_->forward(both.image + places.image, tokens + places.tokens, tokens);
    return {tokens, image_norm_->forward(both.image + seen)};
  }

 private:
  bool first_;
  std::shared_ptr<Attention> self_, to_image_, to_tokens_;
  nn::LayerNorm self_norm_{nullptr}, to_image_norm_{nullptr}, fed_norm_{nullptr}, image_norm_{nullptr};
  OneLinear widen_{nullptr}, narrow_{nullptr};
};

class Decoder::Perceptron : public nn::Module {
 public:
  Perceptron(const std::int64_t in, const std::int64_t hidden, const std::int64_t out) {
    first_ = register_module("layers0", OneLinear(in, hidden));
    second_ = register_module("layers1", OneLinear(hidden, hidden));
    third_ = register_module("layers2", OneLinear(hidden, out));
  }

  Tensor forward(const Tensor& x) {
    return third_->forward(torch::relu(second_->forward(torch::relu(first_->forward(x)))));
  }

 private:
  OneLinear first_{nullptr}, second_{nullptr}, third_{nullptr};
};

Decoder::Decoder(const DecoderShape& s) {
  const std::int64_t w = s.width;
  for (int i = 0; i < 2; ++i) {
    layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<TwoWayLayer>(s, i == 0)));
  }
  last_ = register_module("final_attn_token_to_image", std::make_shared<Attention>(s, w / 2));
  norm_ = register_module("norm_final_attn", nn::LayerNorm(nn::LayerNormOptions({w})));
  quality_token_ = register_module("iou_token", nn::Embedding(1, w));
  mask_tokens_ = register_module("mask_tokens", nn::Embedding(masks, w));
  const auto larger = [](std::int64_t in, std::int64_t out) {
    return nn::ConvTranspose2d(nn::ConvTranspose2dOptions(in, out, 2).stride(2));
  };
  larger_ = register_module("output_upscaling0", larger(w, w / 4));
  larger_norm_ = register_module("output_upscaling1", std::make_shared<ChannelNorm>(w / 4));
  largest_ = register_module("output_upscaling3", larger(w / 4, w / 8));
  for (std::int64_t i = 0; i < masks; ++i) {
    auto mlp = std::make_shared<Perceptron>(w, w, w / 8);
    filters_.push_back(register_module("output_hypernetworks_mlps" + std::to_string(i), mlp));
  }
  quality_ = register_module("iou_prediction_head", std::make_shared<Perceptron>(w, w, masks));
}

Masks Decoder::forward(const Question& q) {
  const Tensor own = torch::cat({quality_token_->weight, mask_tokens_->weight});
  const std::int64_t prompts = q.prompt.size(0);
  const Tensor tokens = torch::cat({own.unsqueeze(0).expand({prompts, -1, -1}), q.prompt}, 1);
  const Tensor map = torch::repeat_interleave(q.image, prompts, 0) + q.mask;
  const auto as_sequence = [](const Tensor& x) { return x.flatten(2).permute({0, 2, 1}); };
  const Both places{tokens, as_sequence(torch::repeat_interleave(q.image_places, prompts, 0))};

  Both both{tokens, as_sequence(map)};
  for (const auto& layer : layers_) both = layer->forward(both, places);
  const Tensor seen = last_->forward(both.tokens + places.tokens, both.image + places.image, both.image);
  const Tensor found = norm_->forward(both.tokens + seen);

  const Tensor features = both.image.transpose(1, 2).view(map.sizes());
  const Tensor large = torch::gelu(largest_->forward(torch::gelu(larger_norm_->forward(larger_->forward(features)))));
  std::vector<Tensor> filters;
  for (std::size_t i = 0; i < filters_.size(); ++i) {
    filters.push_back(filters_[i]->forward(found.select(1, static_cast<std::int64_t>(i) + 1)));
  }
  const Tensor logits =
      torch::matmul(torch::stack(filters, 1), large.flatten(2)).view({prompts, masks, large.size(2), large.size(3)});
  return {logits.slice(1, 1), quality_->forward(found.select(1, 0)).slice(1, 1)};
}

}  // namespace tbci::suite::sam
