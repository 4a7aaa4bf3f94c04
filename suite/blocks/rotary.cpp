#include "suite/blocks/rotary.hpp"

namespace tbci::suite {

Rotary::Rotary(std::int64_t width, double base) {
  const torch::Tensor power = torch::arange(0, width, 2, torch::kFloat) / static_cast<double>(width);
  frequencies_ = register_buffer("inv_freq", 1.0 / torch::pow(base, power));
}

Rotation Rotary::forward(const torch::Tensor& places) const {
  const torch::Tensor column = frequencies_.unsqueeze(0).unsqueeze(-1).expand({places.size(0), -1, 1});
  const torch::Tensor row = places.unsqueeze(1).to(frequencies_.scalar_type());
  const torch::Tensor angles = torch::matmul(column, row).transpose(1, 2);
  const torch::Tensor both = torch::cat({angles, angles}, -1);
  const double scaling = 1.0;  // other kinds of rotary embeddings have another
  return {both.cos() * scaling, both.sin() * scaling};
}

torch::Tensor rotate(const torch::Tensor& x, const Rotation& rotation) {
  const torch::Tensor cosine = rotation.cosine.unsqueeze(1);
  const torch::Tensor sine = rotation.sine.unsqueeze(1);
  const std::int64_t width = cosine.size(-1);
  const bool whole = width == x.size(-1);
  const torch::Tensor turned = whole ? x : x.slice(-1, 0, width);
  const torch::Tensor crossed = torch::cat({-turned.slice(-1, width / 2), turned.slice(-1, 0, width / 2)}, -1);
  const torch::Tensor result = turned * cosine + crossed * sine;
  return whole ? result : torch::cat({result, x.slice(-1, width)}, -1);
}

}  // namespace tbci::suite
