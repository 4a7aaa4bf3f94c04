// sam: Kirillov et al., Segment Anything (2023), with the largest image encoder (ViT-H), in the authors'
// implementation. A point in each image is the prompt, three masks of what is there are the answer, as TorchBench runs
// it.
#include <cmath>

#include "suite/blocks/linear.hpp"
#include "suite/blocks/sam_encoder.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models {
namespace {

namespace nn = torch::nn;
using sam::ChannelNorm;
using torch::Tensor;

struct DecoderShape {
  std::int64_t width, heads, inner;
};

struct Shape {
  sam::EncoderShape encoder;
  DecoderShape decoder;
  std::int64_t height, width;            // of the image, scaled to the encoder's side
  std::int64_t full_height, full_width;  // of the picture it was
};

class Attention : public nn::Module {
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

// What the layers hand on: the tokens (what to find) and the places of the image.
struct Both {
  Tensor tokens, image;
};

class TwoWayLayer : public nn::Module {
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

// Points, boxes and masks as tokens. The parameters for boxes and masks are there, though a point is asked for.
class Prompt : public nn::Module {
 public:
  Prompt(const std::int64_t width, const sam::EncoderShape& image)
      : side_(image.side), grid_(image.side / image.patch) {
    frequencies_ = register_buffer("positional_encoding_gaussian_matrix", torch::randn({2, width / 2}));
    for (int i = 0; i < 4; ++i) {
      points_.push_back(register_module("point_embeddings" + std::to_string(i), nn::Embedding(1, width)));
    }
    no_point_ = register_module("not_a_point_embed", nn::Embedding(1, width));
    register_module("mask_downscaling0", nn::Conv2d(nn::Conv2dOptions(1, 4, 2).stride(2)));
    register_module("mask_downscaling1", std::make_shared<ChannelNorm>(4));
    register_module("mask_downscaling3", nn::Conv2d(nn::Conv2dOptions(4, 16, 2).stride(2)));
    register_module("mask_downscaling4", std::make_shared<ChannelNorm>(16));
    register_module("mask_downscaling6", nn::Conv2d(nn::Conv2dOptions(16, width, 1)));
    no_mask_ = register_module("no_mask_embed", nn::Embedding(1, width));
  }

  // `points` [prompts, points, 2] in pixels; labels 1 for what is meant, 0 for what is not.
  Tensor tokens(const Tensor& points, const Tensor& labels) {
    const Tensor padding = torch::zeros({points.size(0), 1, 2}, points.options());
    const Tensor all = torch::cat({points + 0.5, padding}, 1);
    const Tensor kinds = torch::cat({labels, -torch::ones({labels.size(0), 1}, labels.options())}, 1);
    Tensor x = encoded(all / side_);
    x.index_put_({kinds == -1}, torch::zeros({}, x.options()));
    const auto add = [&](const int kind, nn::Embedding& embedding) {
      const Tensor where = kinds == kind;
      x.index_put_({where}, x.index({where}) + embedding->weight);
    };
    add(-1, no_point_);
    add(0, points_[0]);
    add(1, points_[1]);
    return x;
  }

  Tensor without_mask(const std::int64_t prompts) {
    return no_mask_->weight.reshape({1, -1, 1, 1}).expand({prompts, -1, grid_, grid_});
  }

  Tensor places_of_image() const {
    const Tensor ones = torch::ones({grid_, grid_}, frequencies_.options());
    const Tensor y = (ones.cumsum(0) - 0.5) / grid_, x = (ones.cumsum(1) - 0.5) / grid_;
    return encoded(torch::stack({x, y}, -1)).permute({2, 0, 1}).unsqueeze(0);
  }

 private:
  // Of places from 0 to 1.
  Tensor encoded(const Tensor& places) const {
    const Tensor turns = 2 * 3.14159265358979323846 * torch::matmul(2 * places - 1, frequencies_);
    return torch::cat({torch::sin(turns), torch::cos(turns)}, -1);
  }

  std::int64_t side_, grid_;
  Tensor frequencies_;
  std::vector<nn::Embedding> points_;
  nn::Embedding no_point_{nullptr}, no_mask_{nullptr};
};

class Perceptron : public nn::Module {
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

struct Masks {
  Tensor logits, quality;
};

class Decoder : public nn::Module {
 public:
  explicit Decoder(const DecoderShape& s) {
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

  // All but the first mask, which is for when one alone is wanted.
  Masks forward(const Tensor& image, const Tensor& image_places, const Tensor& prompt, const Tensor& mask) {
    const Tensor own = torch::cat({quality_token_->weight, mask_tokens_->weight});
    const std::int64_t prompts = prompt.size(0);
    const Tensor tokens = torch::cat({own.unsqueeze(0).expand({prompts, -1, -1}), prompt}, 1);
    const Tensor map = torch::repeat_interleave(image, prompts, 0) + mask;
    const auto as_sequence = [](const Tensor& x) { return x.flatten(2).permute({0, 2, 1}); };
    const Both places{tokens, as_sequence(torch::repeat_interleave(image_places, prompts, 0))};

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

 private:
  static constexpr std::int64_t masks = 4;
  std::vector<std::shared_ptr<TwoWayLayer>> layers_;
  std::shared_ptr<Attention> last_;
  nn::LayerNorm norm_{nullptr};
  nn::Embedding quality_token_{nullptr}, mask_tokens_{nullptr};
  nn::ConvTranspose2d larger_{nullptr}, largest_{nullptr};
  std::shared_ptr<ChannelNorm> larger_norm_;
  std::vector<std::shared_ptr<Perceptron>> filters_;
  std::shared_ptr<Perceptron> quality_;
};

class Sam : public nn::Module {
 public:
  explicit Sam(const Shape& shape) : shape_(shape) {
    encoder_ = register_module("image_encoder", std::make_shared<sam::Encoder>(shape.encoder));
    prompt_ = register_module("prompt_encoder", std::make_shared<Prompt>(shape.decoder.width, shape.encoder));
    decoder_ = register_module("mask_decoder", std::make_shared<Decoder>(shape.decoder));
  }

  // Of images from 0 to 255 and a point in each: masks, how good they are, and the masks' logits in low resolution.
  Tensors forward(const Tensor& images, const Tensor& points) {
    const Tensor mean = torch::tensor({123.675F, 116.28F, 103.53F}, images.options()).view({3, 1, 1});
    const Tensor deviation = torch::tensor({58.395F, 57.12F, 57.375F}, images.options()).view({3, 1, 1});
    const std::int64_t side = shape_.encoder.side;
    const Tensor padded =
        torch::constant_pad_nd((images - mean) / deviation, {0, side - shape_.width, 0, side - shape_.height});
    const Tensor features = encoder_->forward(padded);
    std::vector<Tensor> masks, quality, logits;
    for (std::int64_t i = 0; i < images.size(0); ++i) {
      const Tensor point = points.slice(0, i, i + 1).unsqueeze(1), label = torch::ones({1, 1}, points.options());
      const Masks found = decoder_->forward(features.slice(0, i, i + 1), prompt_->places_of_image(),
                                            prompt_->tokens(point, label), prompt_->without_mask(1));
      masks.push_back(full_size(found.logits) > 0.0);
      quality.push_back(found.quality);
      logits.push_back(found.logits);
    }
    return {torch::cat(masks), torch::cat(quality), torch::cat(logits)};
  }

 private:
  Tensor full_size(const Tensor& logits) const {
    const std::int64_t side = shape_.encoder.side;
    const Tensor large = torch::upsample_bilinear2d(logits, {side, side}, /*align_corners=*/false);
    const Tensor cropped = large.slice(2, 0, shape_.height).slice(3, 0, shape_.width);
    return torch::upsample_bilinear2d(cropped, {shape_.full_height, shape_.full_width}, false);
  }

  Shape shape_;
  std::shared_ptr<sam::Encoder> encoder_;
  std::shared_ptr<Prompt> prompt_;
  std::shared_ptr<Decoder> decoder_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape paper{{1024, 16, 1280, 16, 32, {7, 15, 23, 31}, 14, 256}, {256, 8, 2048}, 683, 1024, 1200, 1800};
  const Shape ci{{192, 16, 64, 4, 4, {1, 3}, 5, 32}, {32, 4, 64}, 128, 192, 160, 240};
  const Shape& shape = setup.size == Size::paper ? paper : ci;
  auto module = std::make_shared<Sam>(shape);
  module->to(setup.device);
  const Tensor images =
      torch::randint(256, {setup.batch, 3, shape.height, shape.width}).to(torch::kFloat).to(setup.device);
  const Tensor size = torch::tensor({static_cast<float>(shape.width), static_cast<float>(shape.height)});
  const Tensor points = (torch::rand({setup.batch, 2}) * size).to(setup.device);

  StandardWorkload::Parts parts;
  parts.module = module;
  parts.forward = [=] { return module->forward(images, points); };
  parts.inputs = {images, points};
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

}  // namespace

std::vector<Benchmark> sam() {
  Benchmark sam{"sam",
                "computer vision",
                "image segmentation",
                "facebookresearch/segment-anything",
                641090608,
                {1, 1},
                {1, 2},
                make,
                "the photograph is at the encoder's size already (the original resizes one of 1200x1800 in each "
                "iteration), and the "
                "masks stay on the device; several images at once are encoded together",
                {false, true}};
  sam.listed = Listed::later;
  return {sam};
}

}  // namespace tbci::suite::models
