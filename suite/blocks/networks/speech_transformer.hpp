// The network of the Speech-Transformer: an encoder of speech frames and a decoder of characters, both with post-norm
// attention layers.
#pragma once

#include <memory>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/blocks/linear.hpp"

namespace tbci::suite {

struct SpeechTransformerShape {
  std::int64_t frame;       // values of an input frame
  std::int64_t vocabulary;  // characters
  std::int64_t width;
  std::int64_t heads;
  std::int64_t inner;  // width of the layers between attentions
  int layers;          // of the encoder, and of the decoder
};

struct Masks {
  torch::Tensor present;  // [batch, length, 1]: 1 where there is something, 0 where it is padding
  torch::Tensor hidden;   // [batch, of, at]: true where `of` must not look; undefined: nowhere
};

// A layer of the encoder or, with attention to the encoder's outputs, of the decoder.
class SpeechTransformerLayer;

class SpeechEncoder : public torch::nn::Module {
 public:
  explicit SpeechEncoder(const SpeechTransformerShape& shape);

  // `lengths`: of each sequence of frames [batch, frames, frame] without its padding.
  torch::Tensor forward(const torch::Tensor& frames, const torch::Tensor& lengths);

 private:
  OneLinear linear_{nullptr};
  torch::nn::LayerNorm norm_{nullptr};
  torch::Tensor positions_;
  std::vector<std::shared_ptr<SpeechTransformerLayer>> layers_;
};

class SpeechDecoder : public torch::nn::Module {
 public:
  static constexpr std::int64_t start = 1, end = 2;  // characters that begin and end each text
  static constexpr std::int64_t ignored = -1;        // pads targets

  struct Prediction {
    torch::Tensor scores;  // [batch, length, vocabulary]
    torch::Tensor target;  // [batch, length]
  };

  explicit SpeechDecoder(const SpeechTransformerShape& shape);

  // Each target's next character, from those before it. `targets`: [batch, length], padded with `ignored`.
  Prediction forward(const torch::Tensor& targets, const torch::Tensor& encoded, const torch::Tensor& lengths);

  struct Beam {
    std::int64_t width;
    std::int64_t longest;
  };

  // The most probable text found for one utterance [1, frames, width]: its score and its characters.
  Tensors recognise(const torch::Tensor& encoded, const Beam& beam);

 private:
  torch::Tensor decode(const torch::Tensor& words, const torch::Tensor& encoded, const Masks& self,
                       const torch::Tensor& hidden_frames);
  torch::Tensor next_scores(const torch::Tensor& words, const torch::Tensor& encoded);

  double scale_;
  torch::nn::Embedding words_{nullptr};  // also the output layer
  torch::Tensor positions_;
  std::vector<std::shared_ptr<SpeechTransformerLayer>> layers_;
};

class SpeechTransformer : public torch::nn::Module {
 public:
  explicit SpeechTransformer(const SpeechTransformerShape& shape);

  const std::shared_ptr<SpeechEncoder>& encoder() const { return encoder_; }
  const std::shared_ptr<SpeechDecoder>& decoder() const { return decoder_; }

 private:
  std::shared_ptr<SpeechEncoder> encoder_;
  std::shared_ptr<SpeechDecoder> decoder_;
};

}  // namespace tbci::suite
