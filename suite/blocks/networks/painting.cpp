#include "suite/blocks/networks/painting.hpp"

#include <array>
#include <cmath>

namespace tbci::suite::painting {

namespace nn = torch::nn;

namespace {

// ResNet-18: four stages of two blocks; each stage halves the side.
struct Position {
  std::string name;
  std::int64_t in, out, stride;
};

std::vector<Position> positions(std::int64_t width) {
  std::vector<Position> all;
  std::int64_t in = width;
  for (int stage = 0; stage < 4; ++stage) {
    for (int i = 0; i < 2; ++i) {
      const std::int64_t out = width << stage;
      all.push_back({"layer" + std::to_string(stage + 1) + "_" + std::to_string(i), in, out, i == 0 ? 2 : 1});
      in = out;
    }
  }
  return all;
}

nn::Conv2d plain(std::int64_t in, std::int64_t out, std::int64_t kernel, std::int64_t stride) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false));
}

// The sides of the pictures are halved five times before this; one pixel is left.
torch::Tensor pooled(const torch::Tensor& x) {
  return torch::avg_pool2d(x, x.size(3));
}

}  // namespace

NormedConvolution::NormedConvolution(const Options& o) : stride_(o.stride), padding_(o.kernel / 2) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(o.in * o.kernel * o.kernel));
  bias_ = register_parameter("bias", torch::empty({o.out}).uniform_(-bound, bound));
  const torch::Tensor weight = torch::empty({o.out, o.in, o.kernel, o.kernel}).uniform_(-bound, bound);
  length_ = register_parameter("weight_g", weight.flatten(1).norm(2, 1).view({-1, 1, 1, 1}));
  direction_ = register_parameter("weight_v", weight);
}

torch::Tensor NormedConvolution::forward(const torch::Tensor& x) {
  return torch::conv2d(x, at::_weight_norm(direction_, length_, 0), bias_, stride_, padding_);
}

Actor::Actor(const Shape& shape) {
  stem_ = register_module("conv1", plain(9, shape.width, 3, 2));
  norm_ = register_module("bn1", nn::BatchNorm2d(shape.width));
  for (const Position& p : positions(shape.width)) {
    auto& owner = *register_module(p.name, std::make_shared<nn::Module>("block"));
    Block block;
    block.first = owner.register_module("conv1", plain(p.in, p.out, 3, p.stride));
    block.first_norm = owner.register_module("bn1", nn::BatchNorm2d(p.out));
    block.second = owner.register_module("conv2", plain(p.out, p.out, 3, 1));
    block.second_norm = owner.register_module("bn2", nn::BatchNorm2d(p.out));
    if (p.stride != 1) {
      block.shortcut = owner.register_module("shortcut_0", plain(p.in, p.out, 1, p.stride));
      block.shortcut_norm = owner.register_module("shortcut_1", nn::BatchNorm2d(p.out));
    }
    blocks_.push_back(block);
  }
  head_ = register_module("fc", nn::Linear(8 * shape.width, strokes * stroke_numbers));
}

torch::Tensor Actor::forward(const torch::Tensor& input) {
  torch::Tensor x = torch::relu(norm_->forward(stem_->forward(input)));
  for (Block& block : blocks_) {
    torch::Tensor y = torch::relu(block.first_norm->forward(block.first->forward(x)));
    y = block.second_norm->forward(block.second->forward(y));
    y += block.shortcut.is_empty() ? x : block.shortcut_norm->forward(block.shortcut->forward(x));
    x = torch::relu(y);
  }
  return torch::sigmoid(head_->forward(pooled(x).flatten(1)));
}

Critic::Critic(const Shape& shape) {
  const auto normed = [](nn::Module& owner, const std::string& name, const NormedConvolution::Options& options) {
    return owner.register_module(name, std::make_shared<NormedConvolution>(options));
  };
  const auto threshold = [](nn::Module& owner, const std::string& name) {
    return owner.register_module(name, std::make_shared<Threshold>());
  };
  stem_ = normed(*this, "conv1", {12, shape.width, 3, 2});
  for (const Position& p : positions(shape.width)) {
    auto& owner = *register_module(p.name, std::make_shared<nn::Module>("block"));
    Block block;
    block.first = normed(owner, "conv1", {p.in, p.out, 3, p.stride});
    block.second = normed(owner, "conv2", {p.out, p.out, 3, 1});
    if (p.stride != 1) block.shortcut = normed(owner, "shortcut", {p.in, p.out, 1, p.stride});
    block.first_threshold = threshold(owner, "relu_1");
    block.second_threshold = threshold(owner, "relu_2");
    blocks_.push_back(block);
  }
  head_ = register_module("fc", nn::Linear(8 * shape.width, 1));
  threshold_ = threshold(*this, "relu_1");
}

torch::Tensor Critic::forward(const torch::Tensor& input) {
  torch::Tensor x = threshold_->forward(stem_->forward(input));
  for (Block& block : blocks_) {
    torch::Tensor y = block.second->forward(block.first_threshold->forward(block.first->forward(x)));
    y += block.shortcut ? block.shortcut->forward(x) : x;
    x = block.second_threshold->forward(y);
  }
  return head_->forward(pooled(x).flatten(1));
}

Discriminator::Discriminator(const Shape& shape) {
  const std::int64_t w = shape.width / 4;
  const std::array<std::int64_t, 6> channels{6, w, 2 * w, 4 * w, 8 * w, 1};
  for (std::size_t i = 0; i + 1 < channels.size(); ++i) {
    convolutions_.push_back(register_module(
        "conv" + std::to_string(i),
        std::make_shared<NormedConvolution>(NormedConvolution::Options{channels[i], channels[i + 1], 5, 2})));
  }
  for (std::size_t i = 0; i + 1 < convolutions_.size(); ++i) {
    thresholds_.push_back(register_module("relu" + std::to_string(i), std::make_shared<Threshold>()));
  }
}

torch::Tensor Discriminator::forward(torch::Tensor x) {
  for (std::size_t i = 0; i < thresholds_.size(); ++i) x = thresholds_[i]->forward(convolutions_[i]->forward(x));
  return pooled(convolutions_.back()->forward(x)).view({-1, 1});
}

Renderer::Renderer(const Shape& shape) : side_(shape.side) {
  const std::int64_t w = shape.width;
  const std::array<std::int64_t, 5> sizes{10, 8 * w, 16 * w, 32 * w, side_ * side_ / 4};  // 16 channels of a side/8
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
    linears_.push_back(register_module("fc" + std::to_string(i + 1), nn::Linear(sizes[i], sizes[i + 1])));
  }
  const std::array<std::array<std::int64_t, 2>, 6> channels{{{16, 32}, {32, 32}, {8, 16}, {16, 16}, {4, 8}, {8, 4}}};
  for (const auto& [in, out] : channels) {
    const std::string name = "conv" + std::to_string(convolutions_.size() + 1);
    convolutions_.push_back(register_module(name, nn::Conv2d(nn::Conv2dOptions(in, out, 3).padding(1))));
  }
}

torch::Tensor Renderer::forward(torch::Tensor x) {
  for (auto& linear : linears_) x = torch::relu(linear->forward(x));
  x = x.view({-1, 16, side_ / 8, side_ / 8});
  for (std::size_t i = 0; i < convolutions_.size(); i += 2) {
    x = torch::relu(convolutions_[i]->forward(x));
    x = torch::pixel_shuffle(convolutions_[i + 1]->forward(x), 2);
  }
  return 1 - torch::sigmoid(x).view({-1, side_, side_});
}

torch::Tensor painted(const torch::Tensor& action, torch::Tensor canvas, Renderer& renderer) {
  const torch::Tensor each = action.view({-1, stroke_numbers});
  const std::int64_t side = canvas.size(3);
  const torch::Tensor stroke = (1 - renderer.forward(each.slice(1, 0, 10))).view({-1, strokes, 1, side, side});
  const torch::Tensor coloured = stroke * each.slice(1, 10).reshape({-1, strokes, 3, 1, 1});
  for (std::int64_t i = 0; i < strokes; ++i) {
    canvas = canvas * (1 - stroke.select(1, i)) + coloured.select(1, i);
  }
  return canvas;
}

torch::Tensor coordinates(std::int64_t side) {
  const torch::Tensor along = torch::arange(side).to(torch::kFloat) / static_cast<double>(side - 1);
  return torch::stack({along.unsqueeze(1).expand({side, side}), along.unsqueeze(0).expand({side, side})}).unsqueeze(0);
}

torch::Tensor gradient_penalty(Discriminator& discriminator, const torch::Tensor& real, const torch::Tensor& fake) {
  const torch::Tensor mix = torch::rand({real.size(0), 1, 1, 1}, real.options());
  const torch::Tensor between = (mix * real + (1 - mix) * fake).detach().requires_grad_(true);
  const torch::Tensor verdict = discriminator.forward(between);
  constexpr bool keep = true, differentiable = true;
  const torch::Tensor gradient =
      torch::autograd::grad({verdict}, {between}, {torch::ones_like(verdict)}, keep, differentiable)[0];
  return 10.0 * (at::linalg_vector_norm(gradient.flatten(1), 2, std::vector<std::int64_t>{1}) - 1).pow(2).mean();
}

}  // namespace tbci::suite::painting
