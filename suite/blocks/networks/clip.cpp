#include "suite/blocks/networks/clip.hpp"
#include "suite/blocks/linear.hpp"

#include <cmath>
#include <limits>

#include "suite/blocks/dot_product_attention.hpp"

namespace tbci::suite {

namespace nn = torch::nn;
using torch::Tensor;

namespace {

nn::LayerNorm layer_norm(const std::int64_t width) {
  return nn::LayerNorm(nn::LayerNormOptions({width}));
}

Tensor normal(const std::vector<std::int64_t>& shape, const double deviation) {
  return torch::randn(shape) * deviation;
}

}  // namespace

// Data is [length, batch, width], as torch.nn.MultiheadAttention has it by default.
class Clip::Transformer : public nn::Module {
 public:
  explicit Transformer(const TransformerShape& shape) {
    for (int i = 0; i < shape.layers; ++i) {
      blocks_.push_back(register_module("resblocks" + std::to_string(i), std::make_shared<Block>(shape)));
    }
  }

  Tensor forward(Tensor x, const Tensor& mask) {
    for (const auto& block : blocks_) x = block->forward(x, mask);
    return x;
  }

 private:
  class Block : public nn::Module {
   public:
    explicit Block(const TransformerShape& shape) : heads_(shape.heads) {
      const std::int64_t w = shape.width;
      const double attention = std::pow(static_cast<double>(w), -0.5);
      const double residual = attention * std::pow(2.0 * shape.layers, -0.5);
      in_weight_ = register_parameter("in_proj_weight", normal({3 * w, w}, attention));
      in_bias_ = register_parameter("in_proj_bias", torch::zeros({3 * w}));
      out_ = register_module("out_proj", OneLinear(w, w));
      attention_norm_ = register_module("ln_1", layer_norm(w));
      widen_ = register_module("c_fc", OneLinear(w, 4 * w));
      narrow_ = register_module("c_proj", OneLinear(4 * w, w));
      norm_ = register_module("ln_2", layer_norm(w));
      nn::init::normal_(out_->weight, 0.0, residual);
      nn::init::zeros_(out_->bias);
      nn::init::normal_(widen_->weight, 0.0, std::pow(2.0 * static_cast<double>(w), -0.5));
      nn::init::normal_(narrow_->weight, 0.0, residual);
    }

    Tensor forward(const Tensor& x, const Tensor& mask) {
      const Tensor attended = x + attention(attention_norm_->forward(x), mask);
      const Tensor wide = widen_->forward(norm_->forward(attended));
      return attended + narrow_->forward(wide * torch::sigmoid(1.702 * wide));
    }

   private:
    Tensor attention(const Tensor& x, const Tensor& mask) {
      const std::int64_t length = x.size(0), batch = x.size(1), width = x.size(2);
      const Tensor all = torch::linear(x, in_weight_, in_bias_);
      const auto head = [&](const Tensor& part) {
        return part.reshape({length, batch * heads_, width / heads_}).transpose(0, 1).view({batch, heads_, length, -1});
      };
      const std::vector<Tensor> parts = all.chunk(3, -1);
      Attention attention;
      attention.query = head(parts[0]);
      attention.key = head(parts[1]);
      attention.value = head(parts[2]);
      attention.mask = mask;
      const Tensor mixed = attend(attention).permute({2, 0, 1, 3}).reshape({batch * length, width});
      return out_->forward(mixed).view({length, batch, width});
    }

    std::int64_t heads_;
    Tensor in_weight_, in_bias_;
    OneLinear out_{nullptr}, widen_{nullptr}, narrow_{nullptr};
    nn::LayerNorm attention_norm_{nullptr}, norm_{nullptr};
  };

  std::vector<std::shared_ptr<Block>> blocks_;
};

class Clip::Vision : public nn::Module {
 public:
  explicit Vision(const ClipShape& shape) {
    const std::int64_t w = shape.vision.width, patches = (shape.side / shape.patch) * (shape.side / shape.patch);
    const double scale = std::pow(static_cast<double>(w), -0.5);
    whole_ = register_parameter("class_embedding", normal({w}, scale));
    places_ = register_parameter("positional_embedding", normal({patches + 1, w}, scale));
    project_ = register_parameter("proj", normal({w, shape.out}, scale));
    patches_ =
        register_module("conv1", nn::Conv2d(nn::Conv2dOptions(3, w, shape.patch).stride(shape.patch).bias(false)));
    norm_before_ = register_module("ln_pre", layer_norm(w));
    transformer_ = register_module("transformer", std::make_shared<Transformer>(shape.vision));
    norm_after_ = register_module("ln_post", layer_norm(w));
  }

  Tensor forward(const Tensor& images) {
    Tensor x = patches_->forward(images);
    x = x.reshape({x.size(0), x.size(1), -1}).permute({0, 2, 1});
    const Tensor whole = whole_ + torch::zeros({x.size(0), 1, x.size(2)}, x.options());
    x = norm_before_->forward(torch::cat({whole, x}, 1) + places_);
    x = transformer_->forward(x.permute({1, 0, 2}), {}).permute({1, 0, 2});
    return torch::matmul(norm_after_->forward(x.select(1, 0)), project_);
  }

 private:
  Tensor whole_, places_, project_;
  nn::Conv2d patches_{nullptr};
  nn::LayerNorm norm_before_{nullptr}, norm_after_{nullptr};
  std::shared_ptr<Transformer> transformer_;
};

Clip::Clip(const ClipShape& shape) {
  const double scale = std::pow(static_cast<double>(shape.text.width), -0.5);
  places_ = register_parameter("positional_embedding", normal({shape.words, shape.text.width}, 0.01));
  project_text_ = register_parameter("text_projection", normal({shape.text.width, shape.out}, scale));
  register_parameter("logit_scale", torch::full({}, std::log(1 / 0.07)));
  vision_ = register_module("visual", std::make_shared<Vision>(shape));
  text_ = register_module("transformer", std::make_shared<Transformer>(shape.text));
  words_ = register_module("token_embedding", nn::Embedding(shape.vocabulary, shape.text.width));
  nn::init::normal_(words_->weight, 0.0, 0.02);
  norm_ = register_module("ln_final", layer_norm(shape.text.width));
  const double never = -std::numeric_limits<double>::infinity();
  causal_ = register_buffer("mask", torch::full({shape.words, shape.words}, never).triu_(1));
}

Clip::Text Clip::encode_text(const Tensor& words) {
  Tensor x = words_->forward(words) + places_;
  x = text_->forward(x.permute({1, 0, 2}), causal_).permute({1, 0, 2});
  x = norm_->forward(x);
  const Tensor rows = torch::arange(x.size(0), words.options());
  return {torch::matmul(x.index({rows, words.argmax(-1)}), project_text_), x};
}

Tensor Clip::encode_image(const Tensor& images) {
  return vision_->forward(images);
}

}  // namespace tbci::suite
