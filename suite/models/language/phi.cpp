// phi_1_5: Li et al., Textbooks Are All You Need II: phi-1.5 technical report (2023), as Hugging Face's transformers
// has it: attention and feed-forward network side by side, half of each head rotated by the word's place.
#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/linear.hpp"
#include "suite/blocks/rotary_decoder.hpp"
#include "suite/blocks/text_workload.hpp"

namespace tbci::suite::models::phi {
namespace {

namespace nn = torch::nn;

constexpr double rotary_base = 10000.0;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t width;
  std::int64_t inner;
  std::int64_t heads;
  int layers;
  std::int64_t length;
};

class Layer : public nn::Module {
 public:
  explicit Layer(const Shape& shape) : heads_(shape.heads) {
    for (OneLinear* layer : {&query_, &key_, &value_, &output_}) *layer = OneLinear(shape.width, shape.width);
    register_module("q_proj", query_);
    register_module("k_proj", key_);
    register_module("v_proj", value_);
    register_module("dense", output_);
    widen_ = register_module("fc1", OneLinear(shape.width, shape.inner));
    narrow_ = register_module("fc2", OneLinear(shape.inner, shape.width));
    norm_ = register_module("input_layernorm", nn::LayerNorm(nn::LayerNormOptions({shape.width})));
  }

  torch::Tensor forward(const torch::Tensor& x, const Rotation& rotation, const torch::Tensor& mask) {
    const torch::Tensor normed = norm_->forward(x);
    const torch::Tensor query = rotate(split_heads(query_->forward(normed), heads_), rotation);
    const torch::Tensor key = rotate(split_heads(key_->forward(normed), heads_), rotation);
    const torch::Tensor value = split_heads(value_->forward(normed), heads_);
    const torch::Tensor attended = output_->forward(join_heads(attend({query, key, value, mask})));
    return attended + narrow_->forward(gelu_by_tanh(widen_->forward(normed))) + x;
  }

 private:
  std::int64_t heads_;
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr}, widen_{nullptr}, narrow_{nullptr};
  nn::LayerNorm norm_{nullptr};
};

using Phi = RotaryDecoder<Layer, nn::LayerNorm, OneLinear>;

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape s = by_size<Shape>(
      setup, {.vocabulary = 51200, .width = 2048, .inner = 8192, .heads = 32, .layers = 24, .length = 512},
      {.vocabulary = 1000, .width = 96, .inner = 384, .heads = 4, .layers = 4, .length = 32});
  const RotaryDecoderShape shape{.vocabulary = s.vocabulary,
                                 .width = s.width,
                                 .layers = s.layers,
                                 .rotated = s.width / s.heads / 2,
                                 .rotary_base = rotary_base,
                                 .output_bias = true};
  const nn::LayerNorm norm(nn::LayerNormOptions({s.width}));
  const auto module = std::make_shared<Phi>(shape, s, Phi::LastNorm{"final_layernorm", norm});
  return reading_workload(setup, module, {.vocabulary = s.vocabulary, .length = s.length},
                          [module](const torch::Tensor& words) { return Tensors{module->forward(words)}; });
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "phi_1_5",
           .domain = "nlp",
           .task = "language modeling",
           .source = "Hugging Face transformers (Phi)",
           .parameters = 1418270720,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 36, .infer = 36},
           .make = make,
           .modes = {.train = false},
           .listed = Listed::later}};
}

}  // namespace tbci::suite::models::phi
