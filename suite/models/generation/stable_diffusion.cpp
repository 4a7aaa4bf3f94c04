// stable_diffusion_unet and stable_diffusion_text_encoder: two parts of Stable Diffusion 2 (Rombach et al.,
// High-Resolution Image Synthesis with Latent Diffusion Models, 2022), as Hugging Face's diffusers and transformers
// have them. One pass of each, as TorchBench hands them out.
#include <limits>

#include "suite/blocks/networks/stable_diffusion_unet.hpp"
#include "suite/blocks/standard_workload.hpp"
#include "suite/blocks/transformer_layer.hpp"

namespace tbci::suite::models::stable_diffusion {
namespace {

namespace nn = torch::nn;
using suite::stable_diffusion::Unet;
using suite::stable_diffusion::UnetShape;
using torch::Tensor;

struct TextShape {
  std::int64_t vocabulary, width, heads;
  int layers;
};

class TextEncoder : public nn::Module {
 public:
  explicit TextEncoder(const TextShape& s) {
    words_ = register_module("token_embedding", nn::Embedding(s.vocabulary, s.width));
    places_ = register_module("position_embedding", nn::Embedding(longest, s.width));
    LayerShape layer{.width = s.width, .inner = 4 * s.width, .heads = s.heads};
    layer.norm_first = true;
    for (int i = 0; i < s.layers; ++i) {
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<TransformerLayer>(layer)));
    }
    norm_ = register_module("final_layer_norm", nn::LayerNorm(nn::LayerNormOptions({s.width})));
    numbers_ = register_buffer("position_ids", torch::arange(longest).unsqueeze(0));
  }

  // The output for each word, and the output at the word that ends the text (the first word if none does).
  Tensors forward(const Tensor& words) {
    constexpr std::int64_t end = 49407;
    const std::int64_t length = words.size(1);
    Tensor x = words_->forward(words) + places_->forward(numbers_.slice(1, 0, length));
    const Tensor place = torch::arange(length, words.options());
    Tensor later = torch::full({length, length}, std::numeric_limits<float>::lowest(), x.options());
    later.masked_fill_(place < (place + 1).view({length, 1}), 0);
    const Tensor mask = later.unsqueeze(0).unsqueeze(0).expand({words.size(0), 1, length, length});
    for (const auto& layer : layers_) x = layer->forward(x, {mask});
    x = norm_->forward(x);
    const Tensor rows = torch::arange(x.size(0), words.options());
    return {x, x.index({rows, (words == end).to(torch::kInt).argmax(-1)})};
  }

 private:
  static constexpr std::int64_t longest = 77;
  nn::Embedding words_{nullptr}, places_{nullptr};
  std::vector<std::shared_ptr<TransformerLayer>> layers_;
  nn::LayerNorm norm_{nullptr};
  Tensor numbers_;
};

std::unique_ptr<Workload> make_unet(const Setup& setup) {
  const UnetShape shape =
      by_size<UnetShape>(setup, {.widths = {320, 640, 1280, 1280}, .heads = {5, 10, 20, 20}, .text = 1024, .side = 128},
                         {.widths = {32, 64, 64, 64}, .heads = {1, 2, 2, 2}, .text = 64, .side = 16});
  auto module = std::make_shared<Unet>(shape);
  module->to(setup.device);
  const auto options = torch::TensorOptions().device(setup.device);
  const Tensor latent = torch::randn({setup.batch, 4, shape.side, shape.side}, options);
  const Tensor time = torch::ones({1}, options), text = torch::randn({setup.batch, 1, shape.text}, options);

  return standard_workload(setup, {.module = module,
                                   .forward = [=] { return Tensors{module->forward(latent, time, text)}; },
                                   .inputs = {latent, time, text}});
}

std::unique_ptr<Workload> make_text_encoder(const Setup& setup) {
  const TextShape shape = by_size<TextShape>(setup, {.vocabulary = 49408, .width = 1024, .heads = 16, .layers = 23},
                                             {.vocabulary = 49408, .width = 128, .heads = 4, .layers = 23});
  auto module = std::make_shared<TextEncoder>(shape);
  module->to(setup.device);
  const Tensor words = torch::randint(32000, {setup.batch, 10}, torch::kLong).to(setup.device);

  return standard_workload(setup,
                           {.module = module, .forward = [=] { return module->forward(words); }, .inputs = {words}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  const std::string one_pass = "one pass of this module; TorchBench's eval runs the whole pipeline of three";
  return {{.name = "stable_diffusion_unet",
           .domain = "computer vision",
           .task = "image generation",
           .source = "Hugging Face diffusers",
           .parameters = 865910724,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 1, .infer = 1},
           .make = make_unet,
           .differs = one_pass,
           .modes = {.train = false},
           .listed = Listed::later},
          {.name = "stable_diffusion_text_encoder",
           .domain = "computer vision",
           .task = "image generation",
           .source = "Hugging Face transformers",
           .parameters = 340387840,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 1, .infer = 8},
           .make = make_text_encoder,
           .differs = one_pass,
           .modes = {.train = false},
           .listed = Listed::later}};
}

}  // namespace tbci::suite::models::stable_diffusion
