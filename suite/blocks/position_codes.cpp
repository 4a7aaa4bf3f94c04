#include "suite/blocks/position_codes.hpp"

#include <cmath>

namespace tbci::suite {

torch::Tensor position_codes(const PositionCodes& shape) {
  const torch::Tensor position = torch::arange(shape.places).to(torch::kFloat).unsqueeze(1);
  const double step = -std::log(10000.0) / static_cast<double>(shape.width);
  const torch::Tensor angle = position * (torch::arange(0, shape.width, 2).to(torch::kFloat) * step).exp();
  return torch::stack({angle.sin(), angle.cos()}, 2).view({1, shape.places, shape.width});
}

}  // namespace tbci::suite
