// hf_Whisper: Radford et al., Robust Speech Recognition via Large-Scale Weak Supervision (2022): Whisper's encoder in
// its tiny size with a classifier of whole recordings, as Hugging Face's transformers has it.
#include <cmath>

#include "suite/blocks/standard_workload.hpp"
#include "suite/blocks/text.hpp"
#include "suite/blocks/transformer_layer.hpp"

namespace tbci::suite::models::whisper {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t bands;  // of the spectrogram
  std::int64_t frames;
  LayerShape layer;
  int layers;
  std::int64_t summary;
  std::int64_t classes;
};

// Sines in the first half of the channels, cosines in the second, ever slower.
torch::Tensor waves(std::int64_t places, std::int64_t width) {
  const double step = std::log(10000.0) / static_cast<double>(width / 2 - 1);
  const torch::Tensor speed = torch::exp(torch::arange(width / 2, torch::kFloat) * -step);
  const torch::Tensor angles = torch::arange(places, torch::kFloat).unsqueeze(1) * speed;
  return torch::cat({angles.sin(), angles.cos()}, 1);
}

class Whisper : public nn::Module {
 public:
  explicit Whisper(const Shape& shape) {
    const std::int64_t width = shape.layer.width;
    listen_ = register_module("conv1", nn::Conv1d(nn::Conv1dOptions(shape.bands, width, 3).padding(1)));
    halve_ = register_module("conv2", nn::Conv1d(nn::Conv1dOptions(width, width, 3).stride(2).padding(1)));
    places_ = register_module("embed_positions", nn::Embedding(shape.frames / 2, width));
    for (int i = 0; i < shape.layers; ++i) {
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<TransformerLayer>(shape.layer)));
    }
    norm_ = register_module("layer_norm", nn::LayerNorm(nn::LayerNormOptions({width})));
    project_ = register_module("projector", OneLinear(width, shape.summary));
    classify_ = register_module("classifier", OneLinear(shape.summary, shape.classes));
    initialise(*this, 0.02);
    places_->weight.set_requires_grad(false);
    places_->weight.copy_(waves(shape.frames / 2, width));
  }

  // The scores of the classes [batch, classes] of spectrograms [batch, bands, frames].
  torch::Tensor forward(const torch::Tensor& spectrograms) {
    torch::Tensor x = torch::gelu(listen_->forward(spectrograms));
    x = torch::gelu(halve_->forward(x)).permute({0, 2, 1});
    const auto options = places_->weight.options().dtype(torch::kLong).requires_grad(false);
    x = x + places_->forward(torch::arange(places_->weight.size(0), options));
    for (const auto& layer : layers_) x = layer->forward(x, {});
    return classify_->forward(project_->forward(norm_->forward(x)).mean(1));
  }

 private:
  nn::Conv1d listen_{nullptr}, halve_{nullptr};
  nn::Embedding places_{nullptr};
  std::vector<std::shared_ptr<TransformerLayer>> layers_;
  nn::LayerNorm norm_{nullptr};
  OneLinear project_{nullptr}, classify_{nullptr};
};

std::unique_ptr<Workload> make(const Setup& setup) {
  LayerShape layer =
      by_size<LayerShape>(setup, {.width = 384, .inner = 1536, .heads = 6}, {.width = 96, .inner = 384, .heads = 3});
  layer.norm_first = true;
  layer.key_bias = false;
  layer.scale_the_query = true;
  const Shape shape =
      by_size<Shape>(setup, {.bands = 80, .frames = 3000, .layer = layer, .layers = 4, .summary = 256, .classes = 2},
                     {.bands = 80, .frames = 200, .layer = layer, .layers = 4, .summary = 64, .classes = 2});
  auto module = std::make_shared<Whisper>(shape);
  module->to(setup.device);
  const torch::Tensor spectrograms =
      torch::randn({setup.batch, shape.bands, shape.frames}, torch::TensorOptions().device(setup.device));

  return standard_workload(setup, {.module = module,
                                   .forward = [module, spectrograms] { return Tensors{module->forward(spectrograms)}; },
                                   .inputs = {spectrograms}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "hf_Whisper",
           .domain = "speech",
           .task = "speech recognition",
           .source = "Hugging Face transformers (Whisper)",
           .parameters = 8307458,
           .paper_batch = {.train = 8, .infer = 8},
           .ci_batch = {.train = 20, .infer = 20},
           .make = make,
           .modes = {.train = false},
           .listed = Listed::later}};
}

}  // namespace tbci::suite::models::whisper
