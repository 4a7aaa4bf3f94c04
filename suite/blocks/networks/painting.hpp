// The networks of LearningToPaint: actor, critic, renderer and discriminator.
#pragma once

#include <string>

#include "suite/benchmark.hpp"

namespace tbci::suite::painting {

constexpr std::int64_t strokes = 5;          // of one action
constexpr std::int64_t stroke_numbers = 13;  // ten of the shape of a stroke, three of its colour

struct Shape {
  std::int64_t side;        // of a canvas
  std::int64_t width;       // channels of a ResNet's first stage
  std::int64_t episode;     // steps of a painting
  int evaluated;            // paintings
  std::int64_t remembered;  // steps
};

// A convolution whose weights are a direction and a length for each output (Salimans and Kingma, 2016).
class NormedConvolution : public torch::nn::Module {
 public:
  struct Options {
    std::int64_t in, out, kernel, stride;
  };

  explicit NormedConvolution(const Options& options);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  std::int64_t stride_, padding_;
  torch::Tensor direction_, length_, bias_;
};

// ReLU with a threshold that is learned.
class Threshold : public torch::nn::Module {
 public:
  Threshold() : at_(register_parameter("alpha", torch::zeros({1}))) {}
  torch::Tensor forward(const torch::Tensor& x) { return torch::relu(x - at_) + at_; }

 private:
  torch::Tensor at_;
};

// ResNet-18 with batch norms: from both pictures, the number of the step and the coordinates [batch, 9, side, side] to
// five strokes.
class Actor : public torch::nn::Module {
 public:
  explicit Actor(const Shape& shape);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  struct Block {
    torch::nn::Conv2d first{nullptr}, second{nullptr}, shortcut{nullptr};
    torch::nn::BatchNorm2d first_norm{nullptr}, second_norm{nullptr}, shortcut_norm{nullptr};
  };
  torch::nn::Conv2d stem_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  std::vector<Block> blocks_;
  torch::nn::Linear head_{nullptr};
};

// ResNet-18 with normed weights and learned thresholds: from [batch, 12, side, side] to one number.
class Critic : public torch::nn::Module {
 public:
  explicit Critic(const Shape& shape);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  struct Block {
    std::shared_ptr<NormedConvolution> first, second, shortcut;
    std::shared_ptr<Threshold> first_threshold, second_threshold;
  };
  std::shared_ptr<NormedConvolution> stem_;
  std::shared_ptr<Threshold> threshold_;
  std::vector<Block> blocks_;
  torch::nn::Linear head_{nullptr};
};

// From two pictures [batch, 6, side, side] to how alike they are.
class Discriminator : public torch::nn::Module {
 public:
  explicit Discriminator(const Shape& shape);
  torch::Tensor forward(torch::Tensor x);

 private:
  std::vector<std::shared_ptr<NormedConvolution>> convolutions_;
  std::vector<std::shared_ptr<Threshold>> thresholds_;
};

// Draws strokes [count, 10] as pictures [count, side, side], 1 where there is none.
class Renderer : public torch::nn::Module {
 public:
  explicit Renderer(const Shape& shape);
  torch::Tensor forward(torch::Tensor x);

 private:
  std::int64_t side_;
  std::vector<torch::nn::Linear> linears_;
  std::vector<torch::nn::Conv2d> convolutions_;
};

// The canvas [batch, 3, side, side] after the five strokes of an action [batch, 65].
torch::Tensor painted(const torch::Tensor& action, torch::Tensor canvas, Renderer& renderer);

// Row and column of each pixel, from 0 to 1: [1, 2, side, side].
torch::Tensor coordinates(std::int64_t side);

// Ten times how far the discriminator's gradient is from length 1, somewhere between real and fake pairs.
torch::Tensor gradient_penalty(Discriminator& discriminator, const torch::Tensor& real, const torch::Tensor& fake);

}  // namespace tbci::suite::painting
