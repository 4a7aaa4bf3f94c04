// RoIAlign: He et al., Mask R-CNN (2017). The features inside a box, brought to a fixed size.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite {

struct RoiAlign {
  std::int64_t side;     // bins of the result, each way
  double scale;          // pixels of the features for one of the image
  std::int64_t samples;  // points for each bin, each way; 0: as many as it has pixels
  bool aligned;          // the centre of a pixel is at one half (detectron2), not at its number (torchvision)
};

// `features` [images, channels, height, width] at `boxes` (rows: number of the image, x1, y1, x2, y2) gives
// [boxes, channels, side, side]. Bilinear; a bin is the mean of its points.
torch::Tensor roi_align(const torch::Tensor& features, const torch::Tensor& boxes, const RoiAlign& how);

// Boxes of all images, with the number of the image in front.
torch::Tensor with_image_number(const std::vector<torch::Tensor>& boxes);

// Takes each box from the level of a feature pyramid that fits its size (Lin et al., 2017).
struct RoiPooler {
  std::int64_t side;
  std::int64_t samples;
  bool aligned;
  std::vector<std::int64_t> strides;  // of the levels, each twice that before it; with one level all boxes are from it
  double canonical_side = 224.0;      // a box of this size is taken at stride 16
  double before_log = 1e-8;           // against rounding: detectron2 adds it to the ratio,
  double after_log = 0.0;             // torchvision to its logarithm

  torch::Tensor operator()(const std::vector<torch::Tensor>& features, const std::vector<torch::Tensor>& boxes) const;
};

}  // namespace tbci::suite
