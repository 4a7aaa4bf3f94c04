// timm_vision_transformer, timm_vision_transformer_large: Dosovitskiy et al., An Image is Worth 16x16 Words (2020),
// ViT-S/16, and the giant ViT-g/14 of Zhai et al., Scaling Vision Transformers (2021); as timm's vit_small_patch16_224
// and vit_giant_patch14_224.
#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/linear.hpp"
#include "suite/blocks/timm.hpp"

namespace tbci::suite::models::timm_vision_transformer {
namespace {

using namespace timm;

namespace nn = torch::nn;

struct Shape {
  std::int64_t patch;  // pixels of a side
  std::int64_t width;
  int layers;
  std::int64_t heads;
  std::int64_t hidden;  // of the perceptrons
  Images images;
};

nn::LayerNorm layer_norm(std::int64_t width) {
  return nn::LayerNorm(nn::LayerNormOptions({width}).eps(1e-6));
}

OneLinear linear(std::int64_t in, std::int64_t out) {
  OneLinear layer(in, out);
  const torch::NoGradGuard no_gradients;
  layer->weight.normal_(0.0, 0.02).clamp_(-2.0, 2.0);
  layer->bias.zero_();
  return layer;
}

class Block : public nn::Module {
 public:
  explicit Block(const Shape& shape) : heads_(shape.heads) {
    norm1_ = register_module("norm1", layer_norm(shape.width));
    query_key_value_ = register_module("qkv", linear(shape.width, 3 * shape.width));
    project_ = register_module("proj", linear(shape.width, shape.width));
    norm2_ = register_module("norm2", layer_norm(shape.width));
    widen_ = register_module("fc1", linear(shape.width, shape.hidden));
    narrow_ = register_module("fc2", linear(shape.hidden, shape.width));
  }

  torch::Tensor forward(const torch::Tensor& input) {
    const torch::Tensor x = input + attention(norm1_->forward(input));
    return x + narrow_->forward(torch::gelu(widen_->forward(norm2_->forward(x))));
  }

 private:
  torch::Tensor attention(const torch::Tensor& x) {
    const std::int64_t batch = x.size(0), length = x.size(1), width = x.size(2);
    const torch::Tensor joined = query_key_value_->forward(x).reshape({batch, length, 3, heads_, width / heads_});
    const Tensors split = joined.permute({2, 0, 3, 1, 4}).unbind(0);
    return project_->forward(join_heads(attend({split[0], split[1], split[2]})));
  }

  std::int64_t heads_;
  nn::LayerNorm norm1_{nullptr}, norm2_{nullptr};
  OneLinear query_key_value_{nullptr}, project_{nullptr}, widen_{nullptr}, narrow_{nullptr};
};

class VisionTransformer : public nn::Module {
 public:
  explicit VisionTransformer(const Shape& shape) {
    const std::int64_t grid = shape.images.side / shape.patch;
    class_token_ = register_parameter("cls_token", 1e-6 * torch::randn({1, 1, shape.width}));
    positions_ = register_parameter("pos_embed", 0.02 * torch::randn({1, grid * grid + 1, shape.width}));
    patches_ =
        register_module("patch_embed", nn::Conv2d(nn::Conv2dOptions(3, shape.width, shape.patch).stride(shape.patch)));
    for (int i = 0; i < shape.layers; ++i) {
      blocks_.push_back(register_module("block" + std::to_string(i), std::make_shared<Block>(shape)));
    }
    norm_ = register_module("norm", layer_norm(shape.width));
    head_ = register_module("head", linear(shape.width, shape.images.classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    torch::Tensor x = patches_->forward(images).flatten(2).transpose(1, 2);
    x = torch::cat({class_token_.expand({x.size(0), -1, -1}), x}, 1) + positions_;
    for (const auto& block : blocks_) x = block->forward(x);
    return head_->forward(norm_->forward(x).select(1, 0));
  }

 private:
  torch::Tensor class_token_, positions_;
  nn::Conv2d patches_{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  nn::LayerNorm norm_{nullptr};
  OneLinear head_{nullptr};
};

struct Row {
  std::string name;
  std::string source;
  std::int64_t parameters;
  BatchSizes ci_batch;
  Shape paper;
  Shape ci;
};

Benchmark benchmark(const Row& row) {
  const auto make = [row](const Setup& setup) {
    const Shape shape = by_size(setup, row.paper, row.ci);
    return timm::workload(setup, std::make_shared<VisionTransformer>(shape), shape.images, {"pos_embed", "cls_token"});
  };
  return {.name = row.name,
          .domain = "computer vision",
          .task = "image classification",
          .source = row.source,
          .parameters = row.parameters,
          .paper_batch = {.train = 32, .infer = 32},
          .ci_batch = row.ci_batch,
          .make = make};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {benchmark({.name = "timm_vision_transformer",
                     .source = "timm (vit_small_patch16_224)",
                     .parameters = 22050664,
                     .ci_batch = {.train = 10, .infer = 48},
                     .paper = {.patch = 16,
                               .width = 384,
                               .layers = 12,
                               .heads = 6,
                               .hidden = 1536,
                               .images = {.side = 224, .classes = 1000}},
                     .ci = {.patch = 16,
                            .width = 96,
                            .layers = 6,
                            .heads = 3,
                            .hidden = 384,
                            .images = {.side = 112, .classes = 100}}}),
          benchmark({.name = "timm_vision_transformer_large",
                     .source = "timm (vit_giant_patch14_224)",
                     .parameters = 1012611432,
                     .ci_batch = {.train = 2, .infer = 8},
                     .paper = {.patch = 14,
                               .width = 1408,
                               .layers = 40,
                               .heads = 16,
                               .hidden = 6144,
                               .images = {.side = 224, .classes = 1000}},
                     .ci = {.patch = 14,
                            .width = 176,
                            .layers = 8,
                            .heads = 2,
                            .hidden = 768,
                            .images = {.side = 112, .classes = 100}}})};
}

}  // namespace tbci::suite::models::timm_vision_transformer
