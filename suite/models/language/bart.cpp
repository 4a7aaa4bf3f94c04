// hf_Bart: Lewis et al., BART: Denoising Sequence-to-Sequence Pre-training (2019), the base size, as Hugging Face's
// transformers has it.
#include "suite/blocks/text_workload.hpp"
#include "suite/blocks/transformer_layer.hpp"

namespace tbci::suite::models::bart {
namespace {

namespace nn = torch::nn;

constexpr double drop = 0.1;
constexpr double layer_drop = 0.0;
constexpr std::int64_t padding = 1;
constexpr std::int64_t decoder_start = 2;
constexpr std::int64_t place_offset = 2;  // the first rows of the table of places are never used

struct Shape {
  std::int64_t vocabulary;
  std::int64_t places;
  std::int64_t length;
  std::int64_t width;
  std::int64_t inner;
  std::int64_t heads;
  int layers;
};

// The encoder or the decoder. The embedding of words is the model's, as both and the output layer share it.
class Stack : public nn::Module {
 public:
  Stack(const Shape& shape, bool decoder) {
    LayerShape layer{.width = shape.width, .inner = shape.inner, .heads = shape.heads};
    layer.dropout = drop;
    layer.looks_at_encoder = decoder;
    places_ = register_module("embed_positions", nn::Embedding(shape.places + place_offset, shape.width));
    for (int i = 0; i < shape.layers; ++i) {
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<TransformerLayer>(layer)));
    }
    norm_ = register_module("layernorm_embedding", nn::LayerNorm(nn::LayerNormOptions({shape.width})));
  }

  torch::Tensor forward(const torch::Tensor& embedded, const torch::Tensor& encoded = {}) {
    const std::int64_t length = embedded.size(1);
    const torch::Tensor place = torch::arange(0, length, places_->weight.options().dtype(torch::kLong));
    torch::Tensor x = embedded + places_->forward(place.expand({embedded.size(0), -1}) + place_offset);
    x = torch::dropout(norm_->forward(x), drop, is_training());
    const ProjectedAttention::View view{{}, encoded.defined()};
    for (const auto& layer : layers_) {
      // LayerDrop: a layer is left out at random; the rate of this model is zero, but the die is cast.
      if (is_training() && (torch::rand({}) < layer_drop).item<bool>()) continue;
      x = layer->forward(x, view, encoded);
    }
    return x;
  }

 private:
  nn::Embedding places_{nullptr};
  std::vector<std::shared_ptr<TransformerLayer>> layers_;
  nn::LayerNorm norm_{nullptr};
};

class Bart : public nn::Module {
 public:
  explicit Bart(const Shape& shape) {
    words_ = register_module("shared", nn::Embedding(shape.vocabulary, shape.width));
    encoder_ = register_module("encoder", std::make_shared<Stack>(shape, false));
    decoder_ = register_module("decoder", std::make_shared<Stack>(shape, true));
    bias_ = register_buffer("final_logits_bias", torch::zeros({1, shape.vocabulary}));
    initialise(*this, 0.02);
  }

  // The scores of the words [batch, length, vocabulary].
  torch::Tensor forward(const torch::Tensor& words, const torch::Tensor& decoder_words) {
    const torch::Tensor encoded = encoder_->forward(embed(words));
    return nn::functional::linear(decoder_->forward(embed(decoder_words), encoded), words_->weight) + bias_;
  }

 private:
  torch::Tensor embed(const torch::Tensor& words) {
    const double scale = 1.0;  // larger BARTs have another
    return words_->forward(words) * scale;
  }

  nn::Embedding words_{nullptr};
  std::shared_ptr<Stack> encoder_, decoder_;
  torch::Tensor bias_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(
      setup,
      {.vocabulary = 50265, .places = 1024, .length = 512, .width = 768, .inner = 3072, .heads = 12, .layers = 6},
      {.vocabulary = 1024, .places = 64, .length = 32, .width = 96, .inner = 384, .heads = 4, .layers = 3});
  const auto module = std::make_shared<Bart>(shape);
  const bool train = setup.mode == Mode::train;
  const auto forward = [module, train](const Guessing& guessing) {
    const Shift shift{.start = decoder_start, .padding = padding};
    return module->forward(guessing.words, train ? shift_right(guessing.labels, shift) : guessing.words);
  };
  return word_guessing_workload(setup, module, {.vocabulary = shape.vocabulary, .length = shape.length}, forward);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  const std::string differs =
      "no dropout of attention weights and inside the feed-forward network, as in transformers' default configuration "
      "(the published bart-base trains with 0.1 there)";
  return {{.name = "hf_Bart",
           .domain = "nlp",
           .task = "language modeling",
           .source = "Hugging Face transformers (BART)",
           .parameters = 139420416,
           .paper_batch = {.train = 4, .infer = 1},
           .ci_batch = {.train = 12, .infer = 48},
           .make = make,
           .differs = differs}};
}

}  // namespace tbci::suite::models::bart
