#include "suite/blocks/networks/pixel_networks.hpp"

#include <string>

namespace tbci::suite::pixels {

namespace nn = torch::nn;

namespace {

void initialise(nn::Module& network) {
  const double gain = nn::init::calculate_gain(torch::kReLU);
  for (auto& parameter : network.named_parameters()) {
    torch::Tensor& value = parameter.value();
    const bool of_norm = parameter.key().find("norm") != std::string::npos;
    if (value.dim() == 4) nn::init::orthogonal_(value, gain);
    if (value.dim() == 2) nn::init::orthogonal_(value);
    if (value.dim() == 1 && !of_norm) nn::init::zeros_(value);
  }
}

std::int64_t numbers_seen(const Shape& shape) {
  const std::int64_t side = (shape.side - 3) / 2 + 1 - 3 * 2;
  return shape.filters * side * side;
}

}  // namespace

Convolutions::Convolutions(const Shape& shape) {
  std::int64_t in = shape.channels;
  for (int i = 0; i < 4; ++i) {
    layers_.push_back(register_module("conv" + std::to_string(i),
                                      nn::Conv2d(nn::Conv2dOptions(in, shape.filters, 3).stride(i == 0 ? 2 : 1))));
    in = shape.filters;
  }
  initialise(*this);
}

torch::Tensor Convolutions::forward(const torch::Tensor& observation) {
  torch::Tensor x = observation / 255.0;
  for (auto& layer : layers_) x = torch::relu(layer->forward(x));
  return x.reshape({x.size(0), -1});
}

Head::Head(const Shape& shape) {
  layer_ = register_module("linear", nn::Linear(numbers_seen(shape), shape.features));
  norm_ = register_module("norm", nn::LayerNorm(nn::LayerNormOptions({shape.features})));
}

torch::Tensor Head::forward(const torch::Tensor& seen) {
  return torch::tanh(norm_->forward(layer_->forward(seen)));
}

Mlp::Mlp(std::int64_t in, std::int64_t hidden, std::int64_t out) {
  layers_ = {nn::Linear(in, hidden), nn::Linear(hidden, hidden), nn::Linear(hidden, out)};
  for (std::size_t i = 0; i < layers_.size(); ++i) register_module("linear" + std::to_string(i), layers_[i]);
}

torch::Tensor Mlp::forward(const torch::Tensor& x) {
  return layers_[2]->forward(layers_[1]->forward(layers_[0]->forward(x).relu_()).relu_());
}

Actor::Actor(const Shape& shape) {
  head_ = register_module("head", std::make_shared<Head>(shape));
  trunk_ = register_module("trunk", std::make_shared<Mlp>(shape.features, shape.hidden, 2));
  initialise(*this);
}

SquashedNormal Actor::forward(const torch::Tensor& seen) {
  return SquashedNormal(trunk_->forward(head_->forward(seen)));
}

Critic::Critic(const Shape& shape) {
  head_ = register_module("head", std::make_shared<Head>(shape));
  first_ = register_module("q1", std::make_shared<Mlp>(shape.features + 1, shape.hidden, 1));
  second_ = register_module("q2", std::make_shared<Mlp>(shape.features + 1, shape.hidden, 1));
  initialise(*this);
}

Critic::Values Critic::forward(const torch::Tensor& seen, const torch::Tensor& action) {
  const torch::Tensor both = torch::cat({head_->forward(seen), action}, -1);
  return {first_->forward(both), second_->forward(both)};
}

}  // namespace tbci::suite::pixels
