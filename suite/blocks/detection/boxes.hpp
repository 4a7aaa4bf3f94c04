// The arithmetic of boxes in detectors. Boxes are rows of x1, y1, x2, y2 in pixels.
#pragma once

#include <array>
#include <cstdint>

#include <torch/torch.h>

namespace tbci::suite {

struct ImageSize {
  std::int64_t height;
  std::int64_t width;
};

torch::Tensor box_area(const torch::Tensor& boxes);

// Intersection over union of each row of `a` with each of `b`; 0 where they do not meet.
torch::Tensor box_iou(const torch::Tensor& a, const torch::Tensor& b);

torch::Tensor clip_boxes(const torch::Tensor& boxes, const ImageSize& image);

// For each box whether both its sides are longer than `side`.
torch::Tensor longer_than(const torch::Tensor& boxes, double side);

torch::Tensor scale_boxes(const torch::Tensor& boxes, const ImageSize& from, const ImageSize& to);

// A box as seen from another: the shift of the centre in parts of the side, and the logarithm of the ratio of the
// sides.
class BoxCoder {
 public:
  explicit BoxCoder(const std::array<double, 4>& weights) : weights_(weights) {}

  torch::Tensor encode(const torch::Tensor& boxes, const torch::Tensor& targets) const;

  // `deltas` has four columns for each class, the result as well.
  torch::Tensor decode(const torch::Tensor& deltas, const torch::Tensor& boxes) const;

 private:
  std::array<double, 4> weights_;
};

// The same of detectors without anchors: the distances of a box's centre from the target's four sides, in parts of the
// box's sides.
torch::Tensor encode_linear(const torch::Tensor& boxes, const torch::Tensor& targets);
torch::Tensor decode_linear(const torch::Tensor& deltas, const torch::Tensor& boxes);

// Sum over all rows of the generalized IoU loss (Rezatofighi et al., 2019).
torch::Tensor giou_loss(const torch::Tensor& boxes, const torch::Tensor& targets);

}  // namespace tbci::suite
