#include "suite/blocks/detection/rcnn.hpp"

#include "suite/blocks/detection/backbone.hpp"
#include "suite/blocks/detection/detection_workload.hpp"
#include "suite/blocks/detection/detectron2.hpp"
#include "suite/blocks/detection/masks.hpp"
#include "suite/blocks/detection/roi_heads.hpp"
#include "suite/blocks/detection/rpn.hpp"

namespace tbci::suite {
namespace {

using torch::Tensor;

ResidualShape residual_shape(const Rcnn& rcnn, const DetectionScale& scale) {
  return {.blocks = rcnn.blocks,
          .width = scale.width,
          .stages = rcnn.layout == Layout::c4 ? 3 : 4,
          .dilated_last = rcnn.layout == Layout::dc5,
          .frozen = rcnn.frozen,
          .pixel_variance = Detectron2Input::variance};
}

// The channels of the features that proposals come from.
std::int64_t channels_of(Layout layout, const DetectionScale& scale) {
  if (layout == Layout::fpn) return scale.channels;
  return 4 * scale.width << (layout == Layout::c4 ? 2 : 3);
}

RpnShape rpn_shape(Layout layout, Size size, const DetectionScale& scale) {
  RpnShape shape;
  shape.channels = channels_of(layout, scale);
  const bool paper = size == Size::paper;
  shape.sample = {.size = paper ? 256 : 64, .objects = 0.5};
  std::vector<double> sizes;
  for (int i = 0; i < 5; ++i) sizes.push_back(scale.anchor * (1 << i));
  if (layout == Layout::fpn) {
    for (const double one : sizes) shape.sizes.push_back({one});
    shape.strides = {4, 8, 16, 32, 64};
    shape.train = paper ? Proposals{.before = 2000, .after = 1000} : Proposals{.before = 40, .after = 24};
    shape.infer = paper ? Proposals{.before = 1000, .after = 1000} : Proposals{.before = 40, .after = 24};
  } else {
    shape.sizes = {sizes};
    shape.strides = {16};
    shape.train = paper ? Proposals{.before = 12000, .after = 2000} : Proposals{.before = 160, .after = 40};
    shape.infer = paper ? Proposals{.before = 6000, .after = 1000} : Proposals{.before = 120, .after = 16};
  }
  return shape;
}

RoiHeadsShape roi_heads_shape(const Rcnn& rcnn, Size size, const DetectionScale& scale) {
  const bool paper = size == Size::paper, c4 = rcnn.layout == Layout::c4;
  RoiHeadsShape shape;
  shape.classes = scale.classes;
  shape.channels = channels_of(rcnn.layout, scale);
  shape.strides = {16};
  if (rcnn.layout == Layout::fpn) shape.strides = {4, 8, 16, 32};
  shape.shared_stage = c4;
  shape.width = c4 ? scale.width << 3 : (paper ? 1024 : 64);
  shape.mask_width = rcnn.masks ? scale.channels : 0;
  shape.sample = {.size = paper ? 512 : (c4 ? 8 : 16), .objects = 0.25};
  shape.detections = paper ? 100 : 12;
  shape.canonical_side = 7.0 * scale.anchor;
  return shape;
}

class GeneralizedRcnn : public torch::nn::Module {
 public:
  GeneralizedRcnn(const Rcnn& rcnn, Size size, const DetectionScale& scale)
      : pyramid_on_(rcnn.layout == Layout::fpn), image_(scale.image), original_(scale.original) {
    input_ = register_module("input", std::make_shared<Detectron2Input>(pyramid_on_ ? 32 : 1));
    network_ =
        register_module("network", std::make_shared<ResidualNetwork>(residual_shape(rcnn, scale), Style::detectron2));
    if (pyramid_on_) {
      const std::int64_t first = 4 * scale.width;
      const std::vector<std::int64_t> in{first, 2 * first, 4 * first, 8 * first};
      pyramid_ = register_module("pyramid", std::make_shared<FeaturePyramid>(in, scale.channels));
    }
    rpn_ = register_module("rpn", std::make_shared<Rpn>(rpn_shape(rcnn.layout, size, scale)));
    heads_ = register_module("roi_heads", std::make_shared<RoiHeads>(roi_heads_shape(rcnn, size, scale)));
  }

  // In training the losses, else for each image its boxes, scores and classes, and masks where there are any.
  Tensors forward(const Scene& scene) {
    const std::vector<Tensor> features = see(scene.images);
    const Rpn::Output proposed = rpn_->forward(features, image_, scene.objects);
    if (is_training()) {
      Tensors losses = heads_->losses(levels(features), proposed.boxes, scene.objects);
      losses.insert(losses.end(), proposed.losses.begin(), proposed.losses.end());
      return losses;
    }
    Tensors results;
    for (const Instances& found : heads_->detect(levels(features), proposed.boxes, image_)) {
      for (const Tensor& result : in_original(found)) results.push_back(result);
    }
    return results;
  }

 private:
  std::vector<Tensor> see(const Tensor& images) {
    const std::vector<Tensor> stages = network_->forward(input_->forward(images));
    if (!pyramid_on_) return {stages.back()};
    std::vector<Tensor> features = pyramid_->forward(stages);
    features.push_back(torch::max_pool2d(features.back(), 1, 2));
    return features;
  }

  // The second stage does not use the coarsest level of a pyramid.
  std::vector<Tensor> levels(const std::vector<Tensor>& features) const {
    return {features.begin(), pyramid_on_ ? features.end() - 1 : features.end()};
  }

  Tensors in_original(const Instances& found) const {
    const Tensor boxes = clip_boxes(scale_boxes(found.boxes, image_, original_), original_);
    const Tensor there = longer_than(boxes, 0.0);
    Tensors results{boxes.index({there}), found.scores.index({there}), found.classes.index({there})};
    if (found.masks.defined()) results.push_back(paste_masks(found.masks.index({there}), results[0], original_));
    return results;
  }

  bool pyramid_on_;
  ImageSize image_, original_;
  std::shared_ptr<Detectron2Input> input_;
  std::shared_ptr<ResidualNetwork> network_;
  std::shared_ptr<FeaturePyramid> pyramid_;
  std::shared_ptr<Rpn> rpn_;
  std::shared_ptr<RoiHeads> heads_;
};

std::unique_ptr<Workload> make(const Rcnn& rcnn, const Setup& setup) {
  constexpr double rate = 1e-3;  // which TorchBench sets
  const DetectionScale scale = detection_scale(setup.size);
  const auto module = std::make_shared<GeneralizedRcnn>(rcnn, setup.size, scale);
  return detection_workload(setup, module, detectron2_scene(setup, scale),
                            rcnn.plain_optimizer ? torch::optim::SGDOptions(rate) : steps_with_momentum(rate));
}

}  // namespace

Benchmark rcnn_benchmark(const Rcnn& rcnn) {
  std::string differs = "trains on pictures of the size that it infers on, and keeps no statistics of the samples";
  if (rcnn.masks) differs += "; the objects' masks are bitmaps, not polygons";
  if (!rcnn.differs.empty()) differs += "; " + rcnn.differs;
  return {.name = rcnn.name,
          .domain = "computer vision",
          .task = rcnn.task,
          .source = "facebookresearch/detectron2",
          .parameters = rcnn.parameters,
          .paper_batch = {.train = 1, .infer = 1},
          .ci_batch = rcnn.ci_batch,
          .make = [rcnn](const Setup& setup) { return make(rcnn, setup); },
          .differs = differs};
}

}  // namespace tbci::suite
