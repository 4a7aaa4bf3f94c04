// The decoder that many language models of Hugging Face's transformers are: words, rotary places, a causal mask,
// layers, a norm, and the scores of the next words.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "suite/blocks/causal_mask.hpp"
#include "suite/blocks/rotary.hpp"
#include "suite/blocks/text.hpp"

namespace tbci::suite {

struct RotaryDecoderShape {
  std::int64_t vocabulary;
  std::int64_t width;
  int layers;
  std::int64_t rotated;  // channels of a head that the place rotates
  double rotary_base;
  bool output_bias;
};

// `Layer` is a module whose forward takes the words [batch, length, width], the rotation and the mask, and gives words
// again; `Norm` and `Output` are modules, or what holds one.
template <class Layer, class Norm, class Output>
class RotaryDecoder : public torch::nn::Module {
 public:
  struct LastNorm {
    const char* name;
    Norm norm;
  };

  template <class LayerShape>
  RotaryDecoder(const RotaryDecoderShape& shape, const LayerShape& layer, const LastNorm& last) : norm_(last.norm) {
    words_ = register_module("embed_tokens", torch::nn::Embedding(shape.vocabulary, shape.width));
    for (int i = 0; i < shape.layers; ++i) {
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Layer>(layer)));
    }
    register_module(last.name, norm_);
    rotary_ = register_module("rotary_emb", std::make_shared<Rotary>(shape.rotated, shape.rotary_base));
    const auto output = torch::nn::LinearOptions(shape.width, shape.vocabulary).bias(shape.output_bias);
    output_ = register_module("lm_head", Output(output));
    initialise(*this, 0.02);
  }

  // The scores of the next words [batch, length, vocabulary].
  torch::Tensor forward(const torch::Tensor& words) {
    torch::Tensor x = words_->forward(words);
    const torch::Tensor places = torch::arange(0, words.size(1), words.options()).unsqueeze(0);
    const torch::Tensor mask = causal_mask(places, words.size(0));
    const Rotation rotation = rotary_->forward(places);
    for (const auto& layer : layers_) x = layer->forward(x, rotation, mask);
    return output_->forward(norm_->forward(x));
  }

 private:
  torch::nn::Embedding words_{nullptr};
  std::vector<std::shared_ptr<Layer>> layers_;
  Norm norm_;
  std::shared_ptr<Rotary> rotary_;
  Output output_{nullptr};
};

}  // namespace tbci::suite
