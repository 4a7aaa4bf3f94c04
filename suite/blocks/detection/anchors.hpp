// Anchors: the boxes that a detector starts from, the same set around each pixel of its features.
#pragma once

#include <vector>

#include <torch/torch.h>

#include "suite/blocks/detection/boxes.hpp"

namespace tbci::suite {

// Around the origin: a box for each size (the side of a square of the same area) and each ratio of height to width.
torch::Tensor cell_anchors(const std::vector<double>& sizes, const std::vector<double>& ratios);

struct Grid {
  ImageSize cells;
  ImageSize stride;     // pixels of the image from one cell to the next
  double offset = 0.0;  // of the first cell, in strides
};

// The cell's anchors around each cell, row by row.
torch::Tensor grid_anchors(const torch::Tensor& cell, const Grid& grid);

// [images, anchors * columns, height, width] to [images, height * width * anchors, columns]: in the anchors' order.
torch::Tensor as_anchors(const torch::Tensor& map, std::int64_t columns);

}  // namespace tbci::suite
