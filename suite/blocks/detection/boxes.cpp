#include "suite/blocks/detection/boxes.hpp"

#include <cmath>
#include <vector>

namespace tbci::suite {
namespace {

using torch::Tensor;
using torch::indexing::None;
using torch::indexing::Slice;

struct Centred {
  Tensor x, y, width, height;
};

Centred centred(const Tensor& boxes) {
  const Tensor x1 = boxes.select(1, 0), y1 = boxes.select(1, 1);
  const Tensor width = boxes.select(1, 2) - x1, height = boxes.select(1, 3) - y1;
  return {x1 + 0.5 * width, y1 + 0.5 * height, width, height};
}

Tensor column(const Tensor& deltas, std::int64_t which) {
  return deltas.slice(1, which, c10::nullopt, 4);
}

Tensor sides(const Tensor& boxes) {
  const Tensor width = boxes.select(1, 2) - boxes.select(1, 0), height = boxes.select(1, 3) - boxes.select(1, 1);
  return at::stack({width, height, width, height}, 1);
}

}  // namespace

Tensor box_area(const Tensor& boxes) {
  return (boxes.select(1, 2) - boxes.select(1, 0)) * (boxes.select(1, 3) - boxes.select(1, 1));
}

Tensor box_iou(const Tensor& a, const Tensor& b) {
  const Tensor near = at::maximum(a.index({Slice(), None, Slice(0, 2)}), b.slice(1, 0, 2));
  const Tensor far = at::minimum(a.index({Slice(), None, Slice(2, 4)}), b.slice(1, 2, 4));
  const Tensor shared = (far - near).clamp_(0).prod(2);
  const Tensor all = box_area(a).unsqueeze(1) + box_area(b) - shared;
  return at::where(shared > 0, shared / all, at::zeros({1}, shared.options()));
}

Tensor clip_boxes(const Tensor& boxes, const ImageSize& image) {
  const auto within = [&boxes](std::int64_t which, std::int64_t limit) {
    return boxes.select(-1, which).clamp(0, static_cast<double>(limit));
  };
  return at::stack({within(0, image.width), within(1, image.height), within(2, image.width), within(3, image.height)},
                   -1);
}

Tensor longer_than(const Tensor& boxes, double side) {
  const Tensor width = boxes.select(1, 2) - boxes.select(1, 0), height = boxes.select(1, 3) - boxes.select(1, 1);
  return (width > side).logical_and_(height > side);
}

Tensor scale_boxes(const Tensor& boxes, const ImageSize& from, const ImageSize& to) {
  const double x = static_cast<double>(to.width) / static_cast<double>(from.width);
  const double y = static_cast<double>(to.height) / static_cast<double>(from.height);
  const std::vector<Tensor> sides_of = boxes.unbind(1);
  return at::stack({sides_of[0] * x, sides_of[1] * y, sides_of[2] * x, sides_of[3] * y}, 1);
}

Tensor BoxCoder::encode(const Tensor& boxes, const Tensor& targets) const {
  const Centred from = centred(boxes), to = centred(targets);
  TORCH_CHECK((from.width > 0).all().item<bool>(), "a box without width has no deltas");
  return at::stack({weights_[0] * (to.x - from.x) / from.width, weights_[1] * (to.y - from.y) / from.height,
                    weights_[2] * at::log(to.width / from.width), weights_[3] * at::log(to.height / from.height)},
                   1);
}

Tensor BoxCoder::decode(const Tensor& deltas, const Tensor& boxes) const {
  static const double largest = std::log(1000.0 / 16.0);  // so that exp() cannot overflow
  const Centred from = centred(boxes);
  const Tensor x = column(deltas, 0) / weights_[0] * from.width.unsqueeze(1) + from.x.unsqueeze(1);
  const Tensor y = column(deltas, 1) / weights_[1] * from.height.unsqueeze(1) + from.y.unsqueeze(1);
  const Tensor width = at::exp((column(deltas, 2) / weights_[2]).clamp_max(largest)) * from.width.unsqueeze(1);
  const Tensor height = at::exp((column(deltas, 3) / weights_[3]).clamp_max(largest)) * from.height.unsqueeze(1);
  const Tensor half_width = 0.5 * width, half_height = 0.5 * height;
  const Tensor decoded = at::stack({x - half_width, y - half_height, x + half_width, y + half_height}, -1);
  return decoded.reshape(deltas.sizes());
}

Tensor encode_linear(const Tensor& boxes, const Tensor& targets) {
  const Tensor x = 0.5 * (boxes.select(1, 0) + boxes.select(1, 2));
  const Tensor y = 0.5 * (boxes.select(1, 1) + boxes.select(1, 3));
  const Tensor distances = at::stack(
      {x - targets.select(1, 0), y - targets.select(1, 1), targets.select(1, 2) - x, targets.select(1, 3) - y}, 1);
  return distances / sides(boxes);
}

Tensor decode_linear(const Tensor& deltas, const Tensor& boxes) {
  const Tensor distances = at::relu(deltas) * sides(boxes);
  const Tensor x = 0.5 * (boxes.select(1, 0) + boxes.select(1, 2));
  const Tensor y = 0.5 * (boxes.select(1, 1) + boxes.select(1, 3));
  return at::stack(
      {x - distances.select(1, 0), y - distances.select(1, 1), x + distances.select(1, 2), y + distances.select(1, 3)},
      1);
}

Tensor giou_loss(const Tensor& boxes, const Tensor& targets) {
  constexpr double tiny = 1e-7;
  const Tensor far = at::minimum(boxes.slice(1, 2, 4), targets.slice(1, 2, 4));
  const Tensor near = at::maximum(boxes.slice(1, 0, 2), targets.slice(1, 0, 2));
  const Tensor shared = (far - near).clamp(0).prod(1);
  const Tensor all = box_area(boxes) + box_area(targets) - shared;
  const Tensor around = at::cat({at::minimum(boxes.slice(1, 0, 2), targets.slice(1, 0, 2)),
                                 at::maximum(boxes.slice(1, 2, 4), targets.slice(1, 2, 4))},
                                1);
  const Tensor hull = box_area(around);
  return (1 - (shared / (all + tiny) - (hull - all) / (hull + tiny))).sum();
}

}  // namespace tbci::suite
