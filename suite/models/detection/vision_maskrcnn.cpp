// vision_maskrcnn: He et al., Mask R-CNN (2017), in torchvision's version, maskrcnn_resnet50_fpn: a ResNet-50 with its
// strides in the 3x3 convolutions, rounded anchors, class 0 for the background, smooth losses, RoIAlign of 2 x 2
// points.
#include <algorithm>

#include "suite/blocks/detection/backbone.hpp"
#include "suite/blocks/detection/detection_workload.hpp"
#include "suite/blocks/detection/masks.hpp"
#include "suite/blocks/detection/nms.hpp"
#include "suite/blocks/detection/resized_scene.hpp"
#include "suite/blocks/detection/roi_heads.hpp"
#include "suite/blocks/detection/rpn.hpp"

namespace tbci::suite::models::vision_maskrcnn {
namespace {

using torch::Tensor;

constexpr double smooth = 1.0 / 9.0;  // below this difference the loss of boxes is quadratic

struct Shape {
  Resizing resizing;
  std::int64_t objects, classes, width, channels, head;
  double anchor;
  Proposals train, infer;
  std::int64_t anchors_drawn, boxes_drawn, detections;
};

// The boxes whose sides have at least this many pixels.
Tensor not_small(const Tensor& boxes, double side) {
  const Tensor sides = boxes.slice(1, 2, 4) - boxes.slice(1, 0, 2);
  return at::nonzero((sides.select(1, 0) >= side).logical_and_(sides.select(1, 1) >= side)).squeeze(1);
}

struct Found {
  Tensor boxes, scores, groups;

  void keep(const Tensor& which) {
    boxes = boxes.index({which});
    scores = scores.index({which});
    groups = groups.index({which});
  }
};

class ProposalNetwork : public torch::nn::Module {
 public:
  explicit ProposalNetwork(const Shape& shape) : shape_(shape) {
    head_ = register_module("head", std::make_shared<RpnHead>(shape.channels, 3));
    for (int i = 0; i < 5; ++i) {
      const Tensor cell = cell_anchors({shape.anchor * (1 << i)}, {0.5, 1.0, 2.0}).round();
      cells_.push_back(register_buffer("cell" + std::to_string(i), cell));
    }
  }

  Rpn::Output forward(const std::vector<Tensor>& features, const ResizedScene& input) {
    const RpnHead::Output found = head_->forward(features);
    const std::int64_t height = input.images.size(2), width = input.images.size(3);
    std::vector<Tensor> anchors;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const ImageSize cells{.height = features[i].size(2), .width = features[i].size(3)};
      anchors.push_back(
          grid_anchors(cells_[i], {cells, {.height = height / cells.height, .width = width / cells.width}}));
    }
    const std::int64_t images = input.images.size(0);
    const Tensor all = at::cat(anchors).repeat({images, 1});
    const Tensor deltas = at::cat(found.deltas, 1).reshape({-1, 4});
    const Tensor scores = at::cat(found.scores, 1).flatten(1);
    Rpn::Output output;
    const Tensor boxes = coder_.decode(deltas.detach(), all).view({images, -1, 4});
    output.boxes = choose(boxes, scores.detach(), anchors, input.size);
    if (is_training()) output.losses = losses(all, deltas, scores.flatten(), input.objects);
    return output;
  }

 private:
  std::vector<Tensor> choose(const Tensor& boxes, const Tensor& scores, const std::vector<Tensor>& anchors,
                             const ImageSize& size) const {
    const Proposals& most = is_training() ? shape_.train : shape_.infer;
    std::vector<Tensor> best, levels;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < anchors.size(); ++i) {
      const std::int64_t count = anchors[i].size(0);
      const Tensor of_level = scores.slice(1, first, first + count);
      best.push_back(std::get<1>(of_level.topk(std::min(count, most.before), 1)) + first);
      levels.push_back(at::full({count}, static_cast<std::int64_t>(i), best.back().options()));
      first += count;
    }
    const Tensor which = at::cat(best, 1), level = at::cat(levels);
    std::vector<Tensor> chosen;
    for (std::int64_t i = 0; i < boxes.size(0); ++i) {
      Found found{boxes[i], scores[i], level};
      found.keep(which[i]);
      found.scores = found.scores.sigmoid();
      found.boxes = clip_boxes(found.boxes, size);
      found.keep(not_small(found.boxes, 1e-3));
      found.keep(at::nonzero(found.scores >= 0.0).squeeze(1));
      const Tensor stay = batched_nms(found.boxes, found.scores, found.groups, 0.7).slice(0, 0, most.after);
      chosen.push_back(found.boxes.index({stay}));
    }
    return chosen;
  }

  std::vector<Tensor> losses(const Tensor& anchors, const Tensor& deltas, const Tensor& scores,
                             const std::vector<Objects>& objects) const {
    const auto of_image = static_cast<std::int64_t>(anchors.size(0)) / static_cast<std::int64_t>(objects.size());
    std::vector<Tensor> labels, targets, is_object, is_background;
    for (const Objects& image : objects) {
      const Match matched = match(box_iou(image.boxes, anchors.slice(0, 0, of_image)),
                                  {.background = 0.3, .object = 0.7, .best_always_an_object = true});
      const DrawnBoxes sample = draw(matched.label, {.size = shape_.anchors_drawn, .objects = 0.5}, 0);
      is_object.push_back(at::zeros_like(matched.label).index_put_({sample.objects}, 1));
      is_background.push_back(at::zeros_like(matched.label).index_put_({sample.background}, 1));
      labels.push_back(matched.label.to(torch::kFloat));
      targets.push_back(image.boxes.index({matched.object}));
    }
    const Tensor target = coder_.encode(anchors, at::cat(targets));
    const Tensor those = at::nonzero(at::cat(is_object)).squeeze(1);
    const Tensor all = at::cat({those, at::nonzero(at::cat(is_background)).squeeze(1)});
    const Tensor of_boxes =
        at::smooth_l1_loss(deltas.index({those}), target.index({those}), at::Reduction::Sum, smooth);
    return {at::binary_cross_entropy_with_logits(scores.index({all}), at::cat(labels).index({all})),
            of_boxes / static_cast<double>(all.numel())};
  }

  Shape shape_;
  BoxCoder coder_{{1.0, 1.0, 1.0, 1.0}};
  std::shared_ptr<RpnHead> head_;
  std::vector<Tensor> cells_;
};

// A proposal in training: the class it is to get, the deltas, and the number of its object.
struct Chosen {
  Tensor boxes, classes, deltas, objects;
};

class MaskRcnn : public torch::nn::Module {
 public:
  explicit MaskRcnn(const Shape& shape) : shape_(shape) {
    const std::int64_t first = 4 * shape.width, channels = shape.channels;
    network_ = register_module(
        "network", std::make_shared<ResidualNetwork>(ResidualShape{.blocks = {3, 4, 6, 3}, .width = shape.width},
                                                     Style::torchvision));
    const std::vector<std::int64_t> in{first, 2 * first, 4 * first, 8 * first};
    pyramid_ = register_module("pyramid", std::make_shared<FeaturePyramid>(in, channels));
    rpn_ = register_module("rpn", std::make_shared<ProposalNetwork>(shape));
    head_ = register_module("box_head",
                            std::make_shared<BoxHead>(BoxHead::Shape{.in = channels * 7 * 7, .width = shape.head}));
    predictor_ =
        register_module("box_predictor", std::make_shared<BoxPredictor>(BoxPredictor::Shape{
                                             .in = shape.head, .scores = shape.classes, .boxes = shape.classes}));
    masks_ = register_module("mask_head",
                             std::make_shared<MaskHead>(MaskHead::Shape{
                                 .in = channels, .convolutions = 4, .width = channels, .classes = shape.classes}));
    pooler_ = {.side = 7,
               .samples = 2,
               .aligned = false,
               .strides = {4, 8, 16, 32},
               .canonical_side = 7.0 * shape.anchor,
               .before_log = 0.0,
               .after_log = 1e-6};
    mask_pooler_ = pooler_;
    mask_pooler_.side = 14;
  }

  // In training the losses, else for each image its boxes, classes, scores and masks.
  Tensors forward(const Scene& scene) {
    const ResizedScene input = resize_scene(scene, shape_.resizing, is_training());
    std::vector<Tensor> features = pyramid_->forward(network_->forward(input.images));
    std::vector<Tensor> with_coarse = features;
    with_coarse.push_back(torch::max_pool2d(features.back(), 1, 2));
    const Rpn::Output proposed = rpn_->forward(with_coarse, input);
    if (!is_training()) return detect(features, proposed.boxes, input.size);
    Tensors all = losses(features, proposed.boxes, input.objects);
    all.insert(all.end(), proposed.losses.begin(), proposed.losses.end());
    return all;
  }

 private:
  BoxPredictor::Output predict(const std::vector<Tensor>& features, const std::vector<Tensor>& boxes) {
    return predictor_->forward(head_->forward(pooler_(features, boxes)));
  }

  // Of the masks of all classes, that of each box's own.
  Tensor own_masks(const std::vector<Tensor>& features, const std::vector<Tensor>& boxes, const Tensor& classes) {
    const Tensor all = masks_->forward(mask_pooler_(features, boxes));
    return all.index({at::arange(all.size(0), classes.options()), classes});
  }

  Chosen choose(const Tensor& proposals, const Objects& objects) const {
    const torch::NoGradGuard no_gradients;
    const Tensor boxes = at::cat({proposals, objects.boxes});
    const Match matched =
        match(box_iou(objects.boxes, boxes), {.background = 0.5, .object = 0.5, .best_always_an_object = false});
    Tensor classes = objects.classes.index({matched.object});
    classes.index_put_({matched.label == 0}, 0);
    const DrawnBoxes sample = draw(classes, {.size = shape_.boxes_drawn, .objects = 0.25}, 0);
    Tensor is_drawn = at::zeros_like(classes).index_put_({sample.objects}, 1);
    is_drawn.index_put_({sample.background}, 1);
    const Tensor which = at::nonzero(is_drawn).squeeze(1), object = matched.object.index({which});
    const Tensor drawn_boxes = boxes.index({which});
    return {drawn_boxes, classes.index({which}), coder_.encode(drawn_boxes, objects.boxes.index({object})), object};
  }

  Tensors losses(const std::vector<Tensor>& features, const std::vector<Tensor>& proposals,
                 const std::vector<Objects>& objects) {
    std::vector<Tensor> boxes, classes, deltas, with_mask, mask_classes, targets;
    const std::int64_t side = 2 * mask_pooler_.side;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const Chosen chosen = choose(proposals[i], objects[i]);
      boxes.push_back(chosen.boxes);
      classes.push_back(chosen.classes);
      deltas.push_back(chosen.deltas);
      const Tensor those = at::nonzero(chosen.classes > 0).squeeze(1);
      with_mask.push_back(chosen.boxes.index({those}));
      mask_classes.push_back(chosen.classes.index({those}));
      const Tensor object = chosen.objects.index({those}).to(torch::kFloat).unsqueeze(1);
      const Tensor masks = objects[i].masks.unsqueeze(1).to(torch::kFloat);
      targets.push_back(roi_align(masks, at::cat({object, with_mask.back()}, 1),
                                  {.side = side, .scale = 1.0, .samples = 0, .aligned = false})
                            .select(1, 0));
    }
    const BoxPredictor::Output found = predict(features, boxes);
    const Tensor own = own_masks(features, with_mask, at::cat(mask_classes));
    Tensors all = box_losses(found, at::cat(classes), at::cat(deltas));
    all.push_back(at::binary_cross_entropy_with_logits(own, at::cat(targets)));
    return all;
  }

  Tensors box_losses(const BoxPredictor::Output& found, const Tensor& classes, const Tensor& deltas) const {
    const Tensor those = at::nonzero(classes > 0).squeeze(1);
    const Tensor own = found.deltas.reshape({classes.size(0), -1, 4}).index({those, classes.index({those})});
    const Tensor of_boxes = at::smooth_l1_loss(own, deltas.index({those}), at::Reduction::Sum, smooth);
    return {at::cross_entropy_loss(found.scores, classes), of_boxes / static_cast<double>(classes.numel())};
  }

  Found best_of(const Tensor& decoded, const Tensor& scores, const ImageSize& size) const {
    const Tensor boxes = clip_boxes(decoded.view({scores.size(0), -1, 4}), size);
    const Tensor classes = at::arange(scores.size(1), scores.options().dtype(torch::kLong)).expand(scores.sizes());
    Found found{boxes.slice(1, 1).reshape({-1, 4}), scores.slice(1, 1).reshape(-1), classes.slice(1, 1).reshape(-1)};
    found.keep(at::nonzero(found.scores > 0.05).squeeze(1));
    found.keep(not_small(found.boxes, 1e-2));
    found.keep(batched_nms(found.boxes, found.scores, found.groups, 0.5).slice(0, 0, shape_.detections));
    return found;
  }

  Tensors detect(const std::vector<Tensor>& features, const std::vector<Tensor>& proposals, const ImageSize& size) {
    const BoxPredictor::Output predicted = predict(features, proposals);
    const Tensor decoded = coder_.decode(predicted.deltas, at::cat(proposals));
    const Tensor scores = at::softmax(predicted.scores, -1);
    std::vector<Found> found;
    std::vector<Tensor> boxes, classes;
    std::int64_t first = 0;
    for (const Tensor& of_image : proposals) {
      const std::int64_t end = first + of_image.size(0);
      found.push_back(best_of(decoded.slice(0, first, end), scores.slice(0, first, end), size));
      boxes.push_back(found.back().boxes);
      classes.push_back(found.back().groups);
      first = end;
    }
    const Tensor masks = own_masks(features, boxes, at::cat(classes)).unsqueeze(1).sigmoid();
    Tensors results;
    first = 0;
    for (const Found& of_image : found) {
      const std::int64_t end = first + of_image.boxes.size(0);
      const Tensor placed = scale_boxes(of_image.boxes, size, shape_.resizing.image);
      const Tensor pasted = resize_masks_into(masks.slice(0, first, end), placed, shape_.resizing.image);
      for (const Tensor& result : {placed, of_image.groups, of_image.scores, pasted}) results.push_back(result);
      first = end;
    }
    return results;
  }

  Shape shape_;
  BoxCoder coder_{{10.0, 10.0, 5.0, 5.0}};
  std::shared_ptr<ResidualNetwork> network_;
  std::shared_ptr<FeaturePyramid> pyramid_;
  std::shared_ptr<ProposalNetwork> rpn_;
  std::shared_ptr<BoxHead> head_;
  std::shared_ptr<BoxPredictor> predictor_;
  std::shared_ptr<MaskHead> masks_;
  RoiPooler pooler_, mask_pooler_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape paper{.resizing = {.image = {.height = 426, .width = 640}, .shorter = 800, .longer = 1333},
                    .objects = 8,
                    .classes = 91,
                    .width = 64,
                    .channels = 256,
                    .head = 1024,
                    .anchor = 32.0,
                    .train = {.before = 2000, .after = 2000},
                    .infer = {.before = 1000, .after = 1000},
                    .anchors_drawn = 256,
                    .boxes_drawn = 512,
                    .detections = 100};
  const Shape ci{.resizing = {.image = {.height = 72, .width = 96}, .shorter = 96, .longer = 160},
                 .objects = 3,
                 .classes = 21,
                 .width = 8,
                 .channels = 16,
                 .head = 64,
                 .anchor = 8.0,
                 .train = {.before = 40, .after = 40},
                 .infer = {.before = 40, .after = 24},
                 .anchors_drawn = 64,
                 .boxes_drawn = 16,
                 .detections = 12};
  const Shape shape = by_size(setup, paper, ci);
  const auto module = std::make_shared<MaskRcnn>(shape);
  Scene scene =
      draw_scene(setup.batch, {.image = shape.resizing.image, .objects = shape.objects, .classes = shape.classes - 1},
                 setup.device);
  for (Objects& objects : scene.objects) objects.classes += 1;  // 0 is the background
  return detection_workload(setup, module, scene, steps_with_momentum(0.02));
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "vision_maskrcnn",
           .domain = "computer vision",
           .task = "object detection",
           .source = "torchvision",
           .parameters = 44401393,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 2, .infer = 2},
           .make = make}};
}

}  // namespace tbci::suite::models::vision_maskrcnn
