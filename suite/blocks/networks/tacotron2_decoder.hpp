// The decoder of Shen et al., Natural TTS Synthesis by Conditioning WaveNet on Mel Spectrogram Predictions (2018), in
// the form of NVIDIA/tacotron2: a spectrogram frame by frame, each from where attention looks in the text.
#pragma once

#include <memory>
#include <tuple>
#include <vector>

#include "suite/benchmark.hpp"

namespace tbci::suite::tacotron2 {

constexpr std::int64_t bands = 80;

// The activation that a layer's weights are scaled for.
enum class Gain { linear, relu, tanh, sigmoid };

torch::nn::Linear linear(std::int64_t in, std::int64_t out, bool bias, Gain gain = Gain::linear);

// Keeps the length.
torch::nn::Conv1d convolution(std::int64_t in, std::int64_t out, std::int64_t kernel, bool bias,
                              Gain gain = Gain::linear);

// True in the padding of sequences of these lengths: [batch, longest].
torch::Tensor padding(const torch::Tensor& lengths);

struct DecoderShape {
  std::int64_t encoder;    // width of the input
  std::int64_t decoder;    // width of the LSTM of the attention and of that of the decoder
  std::int64_t prenet;     // width of the layers that take the frame before
  std::int64_t attention;  // width of the attention's comparison
  std::int64_t filters;    // of the attention's own history
};

struct Spoken {
  torch::Tensor frames;      // [batch, bands, frames]
  torch::Tensor stop;        // [batch, frames]: whether the spectrogram ends here
  torch::Tensor alignments;  // [batch, frames, letters]
};

// Attention that knows where it looked before.
class LocationAttention : public torch::nn::Module {
 public:
  explicit LocationAttention(const DecoderShape& shape);

  struct Memory {
    torch::Tensor encoded, processed;
    torch::Tensor padding;
  };
  struct Found {
    torch::Tensor context, weights;
  };

  torch::Tensor processed(const torch::Tensor& memory) { return memory_->forward(memory); }

  // `before`: the weights of the last step, and the sum of all.
  Found forward(const torch::Tensor& query, const Memory& memory, const torch::Tensor& before);

 private:
  torch::nn::Linear query_{nullptr}, memory_{nullptr}, energy_{nullptr};
  torch::nn::Conv1d history_{nullptr};
  torch::nn::Linear location_{nullptr};
};

class Decoder : public torch::nn::Module {
 public:
  explicit Decoder(const DecoderShape& shape);

  // `truth`: the spectrograms; each step hears the frame before its own. `lengths`: of the texts.
  Spoken forward(const torch::Tensor& memory, const torch::Tensor& truth, const torch::Tensor& lengths);

 private:
  using CellState = std::tuple<torch::Tensor, torch::Tensor>;

  struct State {
    CellState attention, decoder;
    torch::Tensor weights, all_weights;  // of the last step, and the sum of all steps
    torch::Tensor context;
  };

  State silent(const torch::Tensor& memory) const;
  torch::Tensor run(torch::nn::LSTMCell& cell, const torch::Tensor& input, CellState& state);
  torch::Tensor step(State& state, const torch::Tensor& heard, const LocationAttention::Memory& memory);

  DecoderShape shape_;
  std::vector<torch::nn::Linear> prenet_;
  torch::nn::LSTMCell attention_cell_{nullptr}, decoder_cell_{nullptr};
  std::shared_ptr<LocationAttention> attention_;
  torch::nn::Linear projection_{nullptr}, gate_{nullptr};
};

}  // namespace tbci::suite::tacotron2
