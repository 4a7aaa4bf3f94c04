// The mask decoder of Segment Anything: tokens that ask for masks look at the image and it at them, and each becomes
// the filter that finds its mask.
#pragma once

#include <memory>
#include <vector>

#include "suite/blocks/networks/sam_encoder.hpp"

namespace tbci::suite::sam {

struct DecoderShape {
  std::int64_t width, heads, inner;
};

struct Masks {
  torch::Tensor logits;   // [prompts, 3, side, side], in low resolution
  torch::Tensor quality;  // [prompts, 3]
};

// What the decoder is asked for, and where; all as wide as its layers.
struct Question {
  torch::Tensor image, image_places;  // [1, width, side, side]
  torch::Tensor prompt;               // [prompts, tokens, width]
  torch::Tensor mask;                 // [prompts, width, side, side]: added to the image
};

class Decoder : public torch::nn::Module {
 public:
  explicit Decoder(const DecoderShape& shape);

  // All but the first mask, which is for when one alone is wanted.
  Masks forward(const Question& question);

 private:
  class Attention;
  class TwoWayLayer;
  class Perceptron;

  static constexpr std::int64_t masks = 4;
  std::vector<std::shared_ptr<TwoWayLayer>> layers_;
  std::shared_ptr<Attention> last_;
  torch::nn::LayerNorm norm_{nullptr};
  torch::nn::Embedding quality_token_{nullptr}, mask_tokens_{nullptr};
  torch::nn::ConvTranspose2d larger_{nullptr}, largest_{nullptr};
  std::shared_ptr<ChannelNorm> larger_norm_;
  std::vector<std::shared_ptr<Perceptron>> filters_;
  std::shared_ptr<Perceptron> quality_;
};

}  // namespace tbci::suite::sam
