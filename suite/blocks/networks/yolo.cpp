#include "suite/blocks/networks/yolo.hpp"

#include "suite/blocks/detection/boxes.hpp"
#include "suite/blocks/detection/nms.hpp"

namespace tbci::suite::yolo {

using torch::Tensor;

namespace {

constexpr double least_overlap_of_shapes = 0.2;

struct Gains {
  double box = 3.54, object = 64.3, type = 37.4;
};

// As if all had the same centre.
Tensor iou_of_sizes(const Tensor& a, const Tensor& b) {
  const Tensor wide_a = a.unsqueeze(1), wide_b = b.unsqueeze(0);
  const Tensor common = torch::minimum(wide_a, wide_b).prod(2);
  return common / (wide_a.prod(2) + wide_b.prod(2) - common);
}

struct Edges {
  Tensor left, right, top, bottom;
};

Edges edges(const Tensor& boxes) {
  const Tensor x = boxes.select(1, 0), y = boxes.select(1, 1), w = boxes.select(1, 2), h = boxes.select(1, 3);
  return {x - w / 2, x + w / 2, y - h / 2, y + h / 2};
}

// [n, 4] from centre and size to corners.
Tensor corners(const Tensor& boxes) {
  const Edges e = edges(boxes);
  return torch::stack({e.left, e.top, e.right, e.bottom}, 1);
}

Tensor presence_loss(const Tensor& logits, const Tensor& truth) {
  const Tensor weight = torch::ones({1}, logits.options());
  return torch::binary_cross_entropy_with_logits(logits, truth, {}, weight, at::Reduction::Mean);
}

struct Losses {
  Tensor box, object, type;
};

void add_loss(Losses& losses, const Level& level, const Tensor& objects, const double overlap_as_truth) {
  const Targets t = assign(objects, level.anchors, level.predictions);
  Tensor is_object = torch::zeros_like(level.predictions.select(4, 0));
  const std::int64_t count = t.image.size(0);
  if (count > 0) {
    const Tensor p = level.predictions.index({t.image, t.anchor, t.row, t.column});
    const Tensor centre = p.slice(1, 0, 2).sigmoid();
    const Tensor size = p.slice(1, 2, 4).exp().clamp_max(1e3) * t.anchor_sizes;
    const Tensor overlap = generalized_iou(torch::cat({centre, size}, 1), t.boxes);
    losses.box = losses.box + (1.0 - overlap).mean();
    is_object.index_put_({t.image, t.anchor, t.row, t.column},
                         (1.0 - overlap_as_truth) + overlap_as_truth * overlap.detach().clamp_min(0));
    Tensor is_type = torch::zeros_like(p.slice(1, 5));
    is_type.index_put_({torch::arange(count, t.classes.options()), t.classes}, torch::ones({}, p.options()));
    losses.type = losses.type + presence_loss(p.slice(1, 5), is_type);
  }
  losses.object = losses.object + presence_loss(level.predictions.select(4, 4), is_object);
}

// Rows of corners, confidence and class: the best class of each box, where it is sure enough.
Tensor candidates(const Tensor& image, const double confidence) {
  Tensor x = image.index({image.select(1, 4) > confidence});
  const Tensor size = x.slice(1, 2, 4);
  x = x.index({((size > 2) & (size < 4096)).all(1)});
  if (x.size(0) == 0) return x.slice(1, 0, 6);
  const auto [best, type] = (x.slice(1, 5) * x.slice(1, 4, 5)).max(1);
  const Tensor rows = torch::cat({corners(x.slice(1, 0, 4)), best.unsqueeze(1), type.to(x.dtype()).unsqueeze(1)}, 1);
  return rows.index({best > confidence});
}

Tensor suppressed(Tensor rows, const double most_overlap) {
  constexpr double farther_than_any_image = 4096;  // so that classes do not suppress each other
  constexpr std::int64_t most_to_merge = 3000;
  const std::int64_t count = rows.size(0);
  if (count == 0) return rows;
  const Tensor boxes = rows.slice(1, 0, 4) + rows.slice(1, 5, 6) * farther_than_any_image;
  const Tensor scores = rows.select(1, 4);
  const Tensor kept = nms(boxes, scores, most_overlap);
  Tensor result = rows.index({kept});
  if (count > 1 && count < most_to_merge) {
    const Tensor weights = (box_iou(boxes.index({kept}), boxes) > most_overlap) * scores.unsqueeze(0);
    result.slice(1, 0, 4).copy_(torch::mm(weights, rows.slice(1, 0, 4)) / weights.sum(1, true));
  }
  return result;
}

}  // namespace

Targets assign(const Tensor& objects, const Tensor& anchors, const Tensor& predictions) {
  const auto rows = static_cast<float>(predictions.size(2)), columns = static_cast<float>(predictions.size(3));
  const Tensor gain = torch::tensor({1.F, 1.F, columns, rows, columns, rows}, objects.options());
  const std::int64_t count = objects.size(0), kinds = anchors.size(0);
  Tensor anchor = torch::arange(kinds, objects.options().dtype(torch::kLong)).view({kinds, 1}).repeat({1, count});
  Tensor object = objects * gain;
  const Tensor fits = iou_of_sizes(anchors, object.slice(1, 4, 6)) > least_overlap_of_shapes;
  anchor = anchor.index({fits});
  object = object.repeat({kinds, 1, 1}).index({fits});

  const Tensor numbers = object.slice(1, 0, 2).to(torch::kLong);
  const Tensor centre = object.slice(1, 2, 4);
  const Tensor cell = centre.to(torch::kLong);
  return {numbers.select(1, 0),
          anchor,
          cell.select(1, 1),
          cell.select(1, 0),
          torch::cat({centre - cell, object.slice(1, 4, 6)}, 1),
          anchors.index({anchor}),
          numbers.select(1, 1)};
}

Tensor generalized_iou(const Tensor& a, const Tensor& b) {
  const Edges p = edges(a), q = edges(b);
  const Tensor common = (torch::minimum(p.right, q.right) - torch::maximum(p.left, q.left)).clamp_min(0) *
                        (torch::minimum(p.bottom, q.bottom) - torch::maximum(p.top, q.top)).clamp_min(0);
  const Tensor all = (p.right - p.left) * (p.bottom - p.top) + 1e-16 + (q.right - q.left) * (q.bottom - q.top) - common;
  const Tensor around = (torch::maximum(p.right, q.right) - torch::minimum(p.left, q.left)) *
                            (torch::maximum(p.bottom, q.bottom) - torch::minimum(p.top, q.top)) +
                        1e-16;
  return common / all - (around - all) / around;
}

Tensor loss(const std::vector<Level>& levels, const Tensor& objects, const double overlap_as_truth) {
  const Tensor zero = torch::zeros({1}, levels.front().predictions.options());
  Losses losses{zero, zero, zero};
  for (const Level& level : levels) add_loss(losses, level, objects, overlap_as_truth);
  const Gains gains;
  return losses.box * gains.box + losses.object * gains.object + losses.type * gains.type;
}

std::vector<Tensor> detections(const Tensor& predictions, const Threshold& threshold) {
  std::vector<Tensor> all;
  for (const Tensor& image : predictions.unbind(0)) {
    all.push_back(suppressed(candidates(image, threshold.confidence), threshold.overlap));
  }
  return all;
}

}  // namespace tbci::suite::yolo
