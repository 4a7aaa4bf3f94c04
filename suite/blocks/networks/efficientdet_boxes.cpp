#include "suite/blocks/networks/efficientdet_boxes.hpp"

#include <cmath>

#include "suite/blocks/detection/anchors.hpp"
#include "suite/blocks/detection/nms.hpp"

namespace tbci::suite::efficientdet {
namespace {

using torch::Tensor;

struct Centres {
  Tensor x, y, width, height;
};

Centres centres(const Tensor& boxes) {
  const Tensors side = boxes.unbind(-1);
  return {(side[0] + side[2]) / 2, (side[1] + side[3]) / 2, side[2] - side[0], side[3] - side[1]};
}

// As the box map has them: y, x, height, width.
Tensor encode(const Tensor& boxes, const Tensor& anchors) {
  constexpr double tiny = 1e-7;
  const Centres to = centres(boxes), from = centres(anchors);
  const Tensor width = from.width + tiny, height = from.height + tiny;
  return torch::stack({(to.y - from.y) / height, (to.x - from.x) / width, torch::log((to.height + tiny) / height),
                       torch::log((to.width + tiny) / width)},
                      1);
}

Tensor decode(const Tensor& codes, const Tensor& anchors) {
  const Centres from = centres(anchors);
  const Tensors code = codes.unbind(1);
  const Tensor width = torch::exp(code[3]) * from.width, height = torch::exp(code[2]) * from.height;
  const Tensor y = code[0] * from.height + from.y, x = code[1] * from.width + from.x;
  return torch::stack({x - width / 2, y - height / 2, x + width / 2, y + height / 2}, 1);
}

// For each anchor the number of its object, or -1: the one that it overlaps most, if by half or more; and for each
// object the anchor that overlaps it most, however little it is.
Tensor match(const Tensor& overlaps) {
  const auto [most, nearest] = overlaps.max(0);
  const Tensor too_little = (0.5 > most).to(torch::kLong);
  const Tensor matches = nearest * (1 - too_little) - too_little;
  const Tensor best = torch::zeros(overlaps.sizes(), overlaps.options().dtype(torch::kBool))
                          .scatter_(1, overlaps.argmax(1).unsqueeze(1), 1);
  const auto [forced, object] = best.max(0);
  return torch::where(forced, object, matches);
}

Tensor of_match(const Tensor& values, const Tensor& background, const Tensor& matches) {
  return torch::cat({background, values}).index_select(0, matches + 1);
}

// Lin et al., Focal Loss for Dense Object Detection (2017), summed up.
Tensor focal_loss(const Tensor& logits, const Tensor& targets, const Tensor& objects) {
  constexpr double alpha = 0.25, gamma = 1.5;
  const Tensor probability = logits.sigmoid();
  const Tensor others = 1.0 - targets;
  const Tensor of_truth = targets * probability + others * (1.0 - probability);
  const Tensor balance = targets * alpha + others * (1.0 - alpha);
  const Tensor hardness = (1.0 - of_truth).pow(gamma);
  const Tensor entropy = torch::binary_cross_entropy_with_logits(logits, targets, {}, {}, at::Reduction::None);
  return ((1 / objects) * balance * hardness * entropy).sum();
}

Tensor box_loss(const Tensor& codes, const Tensor& targets, const Tensor& objects) {
  constexpr double delta = 0.1;
  const Tensor error = (codes - targets).abs();
  const Tensor quadratic = error.clamp_max(delta);
  const Tensor huber = 0.5 * quadratic.pow(2) + delta * (error - quadratic);
  return huber.mul(targets != 0.0).sum() / (objects * 4.0);
}

Tensor indicators(const Tensor& classes, std::int64_t count) {
  const Tensor real = (classes >= 0).unsqueeze(-1);
  std::vector<std::int64_t> shape = classes.sizes().vec();
  shape.push_back(count);
  return torch::zeros(shape, classes.options().dtype(torch::kFloat)).scatter(-1, classes.unsqueeze(-1) * real, 1) *
         real;
}

// What is chosen of one image.
struct Candidates {
  Tensor logits;   // [candidates, 1]
  Tensor codes;    // [candidates, 4]
  Tensor anchors;  // [candidates, 4]
  Tensor classes;  // [candidates]
};

Tensor detect_in(const Candidates& c, const Tensor& size, const Tensor& scale, std::int64_t most) {
  const Tensor border = size / scale;
  Tensor boxes = decode(c.codes, c.anchors).clamp_min(0);
  boxes = boxes.min(torch::cat({border, border}));
  const Tensor scores = c.logits.sigmoid().squeeze(1);
  const Tensor kept = batched_nms(boxes, scores, c.classes, 0.5).slice(0, 0, most);
  const Tensor found = torch::cat({boxes.index({kept}) * scale, scores.index({kept}).unsqueeze(1),
                                   (c.classes.index({kept}).unsqueeze(1) + 1).to(torch::kFloat)},
                                  1);
  if (found.size(0) == most) return found;
  return torch::cat({found, torch::zeros({most - found.size(0), 6}, found.options())});
}

Tensor all_levels(const Tensors& maps, std::int64_t columns) {
  Tensors rows;
  for (const Tensor& map : maps) rows.push_back(as_anchors(map, columns));
  return torch::cat(rows, 1);
}

}  // namespace

std::vector<ImageSize> level_sizes(const ImageSize& image) {
  std::vector<ImageSize> sizes;
  ImageSize size = image;
  for (int level = 1; level < 3 + levels; ++level) {
    size = {(size.height + 1) / 2, (size.width + 1) / 2};
    if (level >= 3) sizes.push_back(size);
  }
  return sizes;
}

Tensor anchors(const ImageSize& image) {
  Tensors all;
  for (const ImageSize& cells : level_sizes(image)) {
    const ImageSize stride{image.height / cells.height, image.width / cells.width};
    Tensors around;  // half the sides of a pixel's anchors
    for (const double octave : {0.0, 1.0 / 3.0, 2.0 / 3.0}) {
      for (const auto& [wide, high] : {std::pair(1.0, 1.0), std::pair(1.4, 0.7), std::pair(0.7, 1.4)}) {
        const double half = 2.0 * std::exp2(octave);
        const double x = half * wide * static_cast<double>(stride.width);
        const double y = half * high * static_cast<double>(stride.height);
        around.push_back(torch::tensor({-x, -y, x, y}, torch::kFloat));
      }
    }
    all.push_back(grid_anchors(torch::stack(around), {cells, stride, 0.5}));
  }
  return torch::cat(all);
}

Labels label(const Tensor& anchors, const Objects& objects) {
  Tensors classes, boxes, counts;
  for (std::int64_t image = 0; image < objects.boxes.size(0); ++image) {
    const Tensor real = objects.classes[image] > -1;
    const Tensor real_boxes = objects.boxes[image].index({real}), real_classes = objects.classes[image].index({real});
    // Without any object, everything is background.
    const Tensor matches = real_boxes.size(0) == 0
                               ? torch::full({anchors.size(0)}, -1, real_classes.options().dtype(torch::kLong))
                               : match(box_iou(real_boxes, anchors));
    const Tensor nothing = torch::zeros({1, 4}, anchors.options());
    const Tensor has_object = (matches >= 0).unsqueeze(1);
    boxes.push_back(
        torch::where(has_object, encode(of_match(real_boxes, nothing, matches), anchors), torch::zeros_like(anchors)));
    const Tensor background = torch::zeros({1}, real_classes.options());
    classes.push_back((of_match(real_classes, background, matches) - 1).to(torch::kLong));
    counts.push_back((matches > -1).to(torch::kFloat).sum());
  }
  return {torch::stack(classes), torch::stack(boxes), torch::stack(counts)};
}

Tensor loss(const Maps& maps, const Labels& labels, std::int64_t classes) {
  const Tensor objects = labels.objects.sum() + 1.0;
  Tensors class_losses, box_losses;
  std::int64_t first = 0;
  for (std::size_t level = 0; level < maps.classes.size(); ++level) {
    const Tensor logits = as_anchors(maps.classes[level], classes), codes = as_anchors(maps.boxes[level], 4);
    const std::int64_t last = first + codes.size(1);
    class_losses.push_back(focal_loss(logits, indicators(labels.classes.slice(1, first, last), classes), objects));
    box_losses.push_back(box_loss(codes, labels.boxes.slice(1, first, last), objects));
    first = last;
  }
  return torch::stack(class_losses, -1).sum(-1) + 50.0 * torch::stack(box_losses, -1).sum(-1);
}

Tensor detect(const Maps& maps, const Tensor& anchors, const Scaling& scaling, std::int64_t classes,
              const Choice& choice) {
  const Tensor logits = all_levels(maps.classes, classes), codes = all_levels(maps.boxes, 4);
  const std::int64_t batch = logits.size(0);
  const Tensor best = std::get<1>(logits.reshape({batch, -1}).topk(choice.candidates, 1));
  const Tensor places = torch::floor_divide(best, classes), chosen = torch::remainder(best, classes);
  const Tensor codes_of = codes.gather(1, places.unsqueeze(2).expand({-1, -1, 4}));
  const Tensor logits_of =
      logits.gather(1, places.unsqueeze(2).expand({-1, -1, classes})).gather(2, chosen.unsqueeze(2));
  Tensors detections;
  for (std::int64_t i = 0; i < batch; ++i) {
    const Candidates candidates{logits_of[i], codes_of[i], anchors.index({places[i]}), chosen[i]};
    detections.push_back(detect_in(candidates, scaling.size[i], scaling.scale[i], choice.detections));
  }
  return torch::stack(detections);
}

}  // namespace tbci::suite::efficientdet
