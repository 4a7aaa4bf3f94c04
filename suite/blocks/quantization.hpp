// Quantisation-aware training, and the really quantised network that comes of it, as PyTorch's graph mode does it with
// its configuration for FBGEMM: activations in 7 bits per tensor, weights in 8 bits per output channel, ranges by
// moving averages.
//
// A network of these layers is written once. In training each layer calculates in floats and rounds its weights and
// results to the 8-bit values that they would have. After convert() it calls the quantised operators on packed weights.
#pragma once

#include <memory>

#include "suite/blocks/conv_norm.hpp"

namespace tbci::suite {

// Observes the range of what passes, and rounds it to a grid of integers over this range.
class FakeQuantize : public torch::nn::Module {
 public:
  enum class Of { activations, weights };

  // Weights have a grid per channel.
  FakeQuantize(Of of, std::int64_t channels);

  torch::Tensor forward(const torch::Tensor& x);

  struct Grid {
    torch::Tensor scale, zero_point;  // double and long, [channels]
  };

  // Of the range observed so far.
  Grid grid() const;

 private:
  bool of_weights_;
  std::int64_t lowest_, highest_;
  torch::Tensor observes_, rounds_;  // switches, both on
  torch::Tensor minimum_, maximum_, scale_, zero_point_;
};

// A layer whose result has its own grid.
class QuantizableLayer : public torch::nn::Module {
 public:
  QuantizableLayer();

  // From now on the layer takes quantised tensors. For inference on the CPU.
  void convert();

  // Rounds to this layer's grid. For the result of an operator that keeps the grid (pooling, clamping).
  torch::Tensor round(const torch::Tensor& x) { return converted_ ? x : fake_quantize_->forward(x); }

 protected:
  virtual void pack() {}

  bool converted() const { return converted_; }

  // Calls a quantised operator with these arguments and this layer's grid.
  torch::Tensor call_on_grid(const char* name, const char* overload, std::vector<c10::IValue> arguments) const;

  FakeQuantize::Grid grid_;  // once converted

 private:
  std::shared_ptr<FakeQuantize> fake_quantize_;
  bool converted_ = false;
  double scale_ = 1.0;
  std::int64_t zero_point_ = 0;
};

// Where floats come in.
class QuantizableInput : public QuantizableLayer {
 public:
  torch::Tensor forward(const torch::Tensor& x);
};

// Convolution, batch norm and perhaps an activation. In training the weights are rounded as the norm will scale them;
// once converted, the norm is part of them.
class QuantizableConvolution : public QuantizableLayer {
 public:
  QuantizableConvolution(const Convolution& c, Activation activation);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  void pack() override;
  torch::Tensor in_floats(const torch::Tensor& x);

  Convolution shape_;
  Activation activation_;
  torch::nn::Conv2d convolution_;
  torch::nn::BatchNorm2d norm_;
  std::shared_ptr<FakeQuantize> weights_;
  c10::IValue packed_;
};

class QuantizableLinear : public QuantizableLayer {
 public:
  QuantizableLinear(std::int64_t in, std::int64_t out);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  void pack() override;

  torch::nn::Linear linear_;
  std::shared_ptr<FakeQuantize> weights_;
  c10::IValue packed_;
};

class QuantizableAdd : public QuantizableLayer {
 public:
  explicit QuantizableAdd(bool relu) : relu_(relu) {}

  torch::Tensor forward(const torch::Tensor& a, const torch::Tensor& b);

 private:
  bool relu_;
};

class QuantizableDropout : public QuantizableLayer {
 public:
  explicit QuantizableDropout(double probability) : probability_(probability) {}

  torch::Tensor forward(const torch::Tensor& x) { return round(torch::dropout(x, probability_, is_training())); }

 private:
  double probability_;
};

// Converts all layers of the network. Throws Unsupported where this LibTorch has no engine for quantised operators.
void convert(torch::nn::Module& network);

}  // namespace tbci::suite
