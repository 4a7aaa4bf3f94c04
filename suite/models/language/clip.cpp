// hf_clip: Radford et al., Learning Transferable Visual Models From Natural Language Supervision (2021): CLIP with the
// vision transformer ViT-B/32, as Hugging Face's transformers has it.
#include <limits>

#include "suite/blocks/standard_workload.hpp"
#include "suite/blocks/text.hpp"
#include "suite/blocks/transformer_layer.hpp"

namespace tbci::suite::models::clip {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t side;
  std::int64_t patch;
  LayerShape vision;
  LayerShape text;
  int layers;  // of each
  std::int64_t vocabulary;
  std::int64_t longest;
  std::int64_t shared;  // width of the embeddings that are compared
};

using Layers = std::vector<std::shared_ptr<TransformerLayer>>;

nn::LayerNorm norm(std::int64_t width) {
  return nn::LayerNorm(nn::LayerNormOptions({width}));
}

class VisionTower : public nn::Module {
 public:
  explicit VisionTower(const Shape& shape) {
    const std::int64_t width = shape.vision.width;
    const std::int64_t rows = shape.side / shape.patch;
    whole_ = register_parameter("class_embedding", 0.02 * torch::randn({width}));
    patches_ = register_module("patch_embedding",
                               nn::Conv2d(nn::Conv2dOptions(3, width, shape.patch).stride(shape.patch).bias(false)));
    places_ = register_module("position_embedding", nn::Embedding(rows * rows + 1, width));
    place_ = register_buffer("position_ids", torch::arange(rows * rows + 1).unsqueeze(0));
    norm_before_ = register_module("pre_layrnorm", norm(width));
    for (int i = 0; i < shape.layers; ++i) {
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<TransformerLayer>(shape.vision)));
    }
    norm_after_ = register_module("post_layernorm", norm(width));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    const torch::Tensor patches = patches_->forward(images).flatten(2).transpose(1, 2);
    torch::Tensor x = torch::cat({whole_.expand({images.size(0), 1, -1}), patches}, 1);
    x = norm_before_->forward(x + places_->forward(place_));
    for (const auto& layer : layers_) x = layer->forward(x, {});
    return norm_after_->forward(x.select(1, 0));
  }

 private:
  torch::Tensor whole_, place_;
  nn::Conv2d patches_{nullptr};
  nn::Embedding places_{nullptr};
  nn::LayerNorm norm_before_{nullptr}, norm_after_{nullptr};
  Layers layers_;
};

// What to add to the scores of texts, whose mask [batch, length] is one where there is a word.
torch::Tensor text_bias(const torch::Tensor& mask) {
  const std::int64_t length = mask.size(1);
  const double lowest = std::numeric_limits<float>::lowest();
  const auto options = mask.options().dtype(torch::kFloat);
  const torch::Tensor place = torch::arange(length, mask.options());
  torch::Tensor ahead = torch::full({length, length}, lowest, options);
  ahead.masked_fill_(place < (place + 1).view({length, 1}), 0.0);
  const torch::Tensor absent = 1.0 - mask.unsqueeze(1).unsqueeze(1).expand({-1, 1, length, -1}).to(torch::kFloat);
  return ahead.unsqueeze(0).unsqueeze(0) + absent.masked_fill(absent.to(torch::kBool), lowest);
}

class TextTower : public nn::Module {
 public:
  explicit TextTower(const Shape& shape) : end_(shape.vocabulary - 1) {
    const std::int64_t width = shape.text.width;
    words_ = register_module("token_embedding", nn::Embedding(shape.vocabulary, width));
    places_ = register_module("position_embedding", nn::Embedding(shape.longest, width));
    place_ = register_buffer("position_ids", torch::arange(shape.longest).unsqueeze(0));
    for (int i = 0; i < shape.layers; ++i) {
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<TransformerLayer>(shape.text)));
    }
    norm_ = register_module("final_layer_norm", norm(width));
  }

  torch::Tensor forward(const torch::Tensor& words, const torch::Tensor& mask) {
    torch::Tensor x = words_->forward(words) + places_->forward(place_.slice(1, 0, words.size(1)));
    const ProjectedAttention::View view{text_bias(mask)};
    for (const auto& layer : layers_) x = layer->forward(x, view);
    x = norm_->forward(x);
    const torch::Tensor ends = (words.to(torch::kInt) == end_).to(torch::kInt).argmax(-1);
    return x.index({torch::arange(x.size(0), words.options()), ends});  // the end represents the whole text
  }

 private:
  std::int64_t end_;
  nn::Embedding words_{nullptr}, places_{nullptr};
  torch::Tensor place_;
  Layers layers_;
  nn::LayerNorm norm_{nullptr};
};

torch::Tensor of_length_one(const torch::Tensor& x) {
  return x / x.pow(2).sum(-1, true).pow(0.5);
}

class Clip : public nn::Module {
 public:
  explicit Clip(const Shape& shape) {
    scale_ = register_parameter("logit_scale", torch::tensor(2.6592F));
    text_ = register_module("text_model", std::make_shared<TextTower>(shape));
    vision_ = register_module("vision_model", std::make_shared<VisionTower>(shape));
    of_vision_ = register_module("visual_projection", linear_without_bias({shape.vision.width, shape.shared}));
    of_text_ = register_module("text_projection", linear_without_bias({shape.text.width, shape.shared}));
    initialise(*this, 0.02);
  }

  // How well each text fits each image and the other way round, and the embeddings of the images and of the texts.
  Tensors forward(const torch::Tensor& words, const torch::Tensor& mask, const torch::Tensor& images) {
    const torch::Tensor of_images = of_length_one(of_vision_->forward(vision_->forward(images)));
    const torch::Tensor of_texts = of_length_one(of_text_->forward(text_->forward(words, mask)));
    const torch::Tensor fit = torch::matmul(of_texts, of_images.t()) * scale_.exp();
    return {fit.t(), fit, of_images, of_texts};
  }

 private:
  torch::Tensor scale_;
  std::shared_ptr<TextTower> text_;
  std::shared_ptr<VisionTower> vision_;
  nn::Linear of_vision_{nullptr}, of_text_{nullptr};
};

// Each image is to fit its own text best, and each text its own image.
torch::Tensor loss(const Tensors& outputs) {
  constexpr double temperature = 0.07;
  const torch::Tensor fit = torch::matmul(outputs[2], outputs[3].t()) / temperature;
  const torch::Tensor own = torch::arange(fit.size(0), fit.options().dtype(torch::kLong).requires_grad(false));
  return (at::cross_entropy_loss(fit, own) + at::cross_entropy_loss(fit.t(), own)) / 2;
}

std::unique_ptr<Workload> make(const Setup& setup) {
  LayerShape vision =
      by_size<LayerShape>(setup, {.width = 768, .inner = 3072, .heads = 12}, {.width = 96, .inner = 384, .heads = 4});
  LayerShape text =
      by_size<LayerShape>(setup, {.width = 512, .inner = 2048, .heads = 8}, {.width = 64, .inner = 256, .heads = 4});
  for (LayerShape* shape : {&vision, &text}) {
    shape->quick_gelu = true;
    shape->norm_first = true;
  }
  const Shape shape = by_size<Shape>(setup,
                                     {.side = 224,
                                      .patch = 32,
                                      .vision = vision,
                                      .text = text,
                                      .layers = 12,
                                      .vocabulary = 49408,
                                      .longest = 77,
                                      .shared = 512},
                                     {.side = 96,
                                      .patch = 16,
                                      .vision = vision,
                                      .text = text,
                                      .layers = 4,
                                      .vocabulary = 1000,
                                      .longest = 16,
                                      .shared = 64});
  auto module = std::make_shared<Clip>(shape);
  module->to(setup.device);
  // A start, four words and an end, as the original's sentence has.
  torch::Tensor words = random_words(setup, shape.vocabulary - 2, 6);
  words.select(1, 0).fill_(shape.vocabulary - 2);
  words.select(1, -1).fill_(shape.vocabulary - 1);
  const torch::Tensor mask = torch::ones_like(words);
  const torch::Tensor images =
      torch::randn({setup.batch, 3, shape.side, shape.side}, torch::TensorOptions().device(setup.device));

  return standard_workload(setup,
                           {.module = module,
                            .forward = [module, words, mask, images] { return module->forward(words, mask, images); },
                            .loss = loss,
                            .optimizer = use_adam_w(torch::optim::AdamWOptions(5e-4).weight_decay(1e-4).eps(1e-6)),
                            .inputs = {words, mask, images}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "hf_clip",
           .domain = "other",
           .task = "multimodal",
           .source = "Hugging Face transformers (CLIP)",
           .parameters = 151277313,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 14, .infer = 40},
           .make = make,
           .listed = Listed::later}};
}

}  // namespace tbci::suite::models::clip
