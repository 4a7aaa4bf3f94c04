#include "suite/blocks/detection/anchors.hpp"

#include <cmath>

namespace tbci::suite {

torch::Tensor cell_anchors(const std::vector<double>& sizes, const std::vector<double>& ratios) {
  std::vector<torch::Tensor> rows;
  for (const double size : sizes) {
    for (const double ratio : ratios) {
      const double width = std::sqrt(size * size / ratio), height = ratio * width;
      rows.push_back(torch::tensor({-width / 2.0, -height / 2.0, width / 2.0, height / 2.0}, torch::kFloat));
    }
  }
  return at::stack(rows);
}

torch::Tensor grid_anchors(const torch::Tensor& cell, const Grid& grid) {
  const auto shifts = [&](std::int64_t cells, std::int64_t stride) {
    const double step = static_cast<double>(stride), first = grid.offset * step;
    return at::arange(first, first + static_cast<double>(cells) * step - 0.5, step, cell.options());
  };
  const auto grids =
      at::meshgrid({shifts(grid.cells.height, grid.stride.height), shifts(grid.cells.width, grid.stride.width)}, "ij");
  const torch::Tensor y = grids[0].reshape(-1), x = grids[1].reshape(-1);
  const torch::Tensor shift = at::stack({x, y, x, y}, 1);
  return (shift.view({-1, 1, 4}) + cell.view({1, -1, 4})).reshape({-1, 4});
}

torch::Tensor as_anchors(const torch::Tensor& map, std::int64_t columns) {
  const torch::Tensor split = map.view({map.size(0), -1, columns, map.size(2), map.size(3)});
  return split.permute({0, 3, 4, 1, 2}).reshape({map.size(0), -1, columns});
}

}  // namespace tbci::suite
