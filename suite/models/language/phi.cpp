// phi_1_5: Li et al., Textbooks Are All You Need II: phi-1.5 technical report (2023), as Hugging Face's transformers
// has it: attention and feed-forward network side by side, half of each head turned by the word's place.
#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/linear.hpp"
#include "suite/blocks/rotary_decoder.hpp"
#include "suite/blocks/text_workload.hpp"

namespace tbci::suite::models {
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
  const bool paper = setup.size == Size::paper;
  const Shape s = paper ? Shape{51200, 2048, 8192, 32, 24, 512} : Shape{1000, 96, 384, 4, 4, 32};
  const RotaryDecoderShape shape{s.vocabulary, s.width, s.layers, s.width / s.heads / 2, rotary_base, true};
  const nn::LayerNorm norm(nn::LayerNormOptions({s.width}));
  const auto module = std::make_shared<Phi>(shape, s, Phi::LastNorm{"final_layernorm", norm});
  return reading_workload(setup, module, {s.vocabulary, s.length},
                          [module](const torch::Tensor& words) { return Tensors{module->forward(words)}; });
}

}  // namespace

std::vector<Benchmark> phi() {
  return {{"phi_1_5",
           "nlp",
           "language modeling",
           "Hugging Face transformers (Phi)",
           1418270720,
           {1, 1},
           {36, 36},
           make,
           "",
           {false, true},
           Listed::later}};
}

}  // namespace tbci::suite::models
