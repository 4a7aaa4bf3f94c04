#include "suite/blocks/detection/roi_heads.hpp"

#include <cmath>

#include "suite/blocks/detection/nms.hpp"

namespace tbci::suite {

using torch::Tensor;
namespace nn = torch::nn;

namespace {

// Uniform weights with a variance of 1 / fan in.
nn::Linear linear(std::int64_t in, std::int64_t out) {
  nn::Linear layer(in, out);
  nn::init::kaiming_uniform_(layer->weight, 1.0);
  nn::init::zeros_(layer->bias);
  return layer;
}

std::vector<std::int64_t> lengths(const std::vector<Tensor>& boxes) {
  std::vector<std::int64_t> all;
  for (const Tensor& of_image : boxes) all.push_back(of_image.size(0));
  return all;
}

Tensor join(const std::vector<Instances>& instances, Tensor Instances::*field) {
  std::vector<Tensor> all;
  for (const Instances& of_image : instances) all.push_back(of_image.*field);
  return at::cat(all);
}

std::vector<Tensor> boxes_of(const std::vector<Instances>& instances) {
  std::vector<Tensor> all;
  for (const Instances& of_image : instances) all.push_back(of_image.boxes);
  return all;
}

// Of the masks of all classes, that of each box's own.
Tensor of_class(const Tensor& masks, const Tensor& classes) {
  return masks.index({at::arange(masks.size(0), classes.options()), classes});
}

}  // namespace

BoxHead::BoxHead(const Shape& shape) {
  first_ = register_module("first", linear(shape.in, shape.width));
  second_ = register_module("second", linear(shape.width, shape.width));
}

Tensor BoxHead::forward(const Tensor& x) {
  return at::relu(second_->forward(at::relu(first_->forward(x.flatten(1)))));
}

BoxPredictor::BoxPredictor(const Shape& shape) {
  scores_ = register_module("scores", drawn(nn::Linear(shape.in, shape.scores), 0.01));
  // Some classes are likelier than others, so that without training there are detections. Wider weights would do it
  // too, but no step of training would then be small enough.
  nn::init::normal_(scores_->bias, 0.0, 1.5);
  deltas_ = register_module("deltas", drawn(nn::Linear(shape.in, 4 * shape.boxes), 0.001));
}

BoxPredictor::Output BoxPredictor::forward(const Tensor& x) {
  return {scores_->forward(x), deltas_->forward(x)};
}

MaskHead::MaskHead(const Shape& shape) {
  std::int64_t channels = shape.in;
  for (int i = 0; i < shape.convolutions; ++i) {
    convolutions_.push_back(
        register_module("convolution" + std::to_string(i), same_convolution(channels, shape.width, 3, 2.0)));
    channels = shape.width;
  }
  up_ = nn::ConvTranspose2d(nn::ConvTranspose2dOptions(channels, shape.width, 2).stride(2));
  register_module("up", drawn(up_, std::sqrt(2.0 / static_cast<double>(channels))));
  predictor_ = register_module("predictor", same_convolution(shape.width, shape.classes, 1, 0.01));
}

Tensor MaskHead::forward(Tensor x) {
  for (nn::Conv2d& convolution : convolutions_) x = at::relu(convolution->forward(x));
  return predictor_->forward(at::relu(up_->forward(x)));
}

RoiHeads::RoiHeads(const RoiHeadsShape& shape)
    : shape_(shape),
      box_pooler_{shape.shared_stage ? 14 : 7, 0, true, shape.strides, shape.canonical_side},
      mask_pooler_{14, 0, true, shape.strides, shape.canonical_side} {
  std::int64_t width = shape.width;
  if (shape.shared_stage) {
    const Stage stage{shape.channels, shape.width, 3, 2};
    stage_ = register_module("res5", std::make_shared<ResidualStage>(stage, Style::detectron2));
    width = 4 * shape.width;
  } else {
    head_ = register_module("head", std::make_shared<BoxHead>(BoxHead::Shape{shape.channels * 7 * 7, width}));
  }
  const BoxPredictor::Shape last{width, shape.classes + 1, shape.classes};
  predictor_ = register_module("predictor", std::make_shared<BoxPredictor>(last));
  if (shape.mask_width == 0) return;
  const MaskHead::Shape masks{shape.shared_stage ? width : shape.channels, shape.shared_stage ? 0 : 4, shape.mask_width,
                              shape.classes};
  mask_head_ = register_module("mask_head", std::make_shared<MaskHead>(masks));
}

Tensor RoiHeads::look(const std::vector<Tensor>& features, const std::vector<Tensor>& boxes) {
  const Tensor pooled = box_pooler_(features, boxes);
  return stage_ ? stage_->forward(pooled) : pooled;
}

Tensor RoiHeads::flat(const Tensor& looked) {
  return stage_ ? looked.mean({2, 3}) : head_->forward(looked);
}

std::vector<Tensor> RoiHeads::losses(const std::vector<Tensor>& features, const std::vector<Tensor>& proposals,
                                     const std::vector<Objects>& objects) {
  std::vector<Instances> chosen = choose(proposals, objects);
  const Tensor looked = look(features, boxes_of(chosen));
  std::vector<Tensor> all = box_losses(predictor_->forward(flat(looked)), chosen);
  if (!mask_head_) return all;

  std::vector<Tensor> masked;
  for (Instances& of_image : chosen) {
    masked.push_back(of_image.classes != shape_.classes);
    const Tensor which = at::nonzero(masked.back()).squeeze(1);
    of_image = {of_image.boxes.index({which}),  {}, of_image.classes.index({which}), {}, {},
                of_image.objects.index({which})};
  }
  const Tensor seen = stage_ ? looked.index({at::cat(masked)}) : mask_pooler_(features, boxes_of(chosen));
  all.push_back(mask_loss(mask_head_->forward(seen), chosen, objects));
  return all;
}

std::vector<Instances> RoiHeads::choose(const std::vector<Tensor>& proposals,
                                        const std::vector<Objects>& objects) const {
  const torch::NoGradGuard no_gradients;
  std::vector<Instances> chosen;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    const Objects& truth = objects[i];
    const Tensor boxes = at::cat({proposals[i], truth.boxes});  // so that there is something to learn from the start
    const Match matched = match(box_iou(truth.boxes, boxes), {0.5, 0.5, false});
    Tensor classes = truth.classes.index({matched.object});
    classes.index_put_({matched.label == 0}, shape_.classes);
    classes.index_put_({matched.label == -1}, -1);
    const DrawnBoxes sample = draw(classes, shape_.sample, shape_.classes);
    const Tensor which = at::cat({sample.objects, sample.background});
    const Tensor of = matched.object.index({which});
    chosen.push_back({boxes.index({which}), {}, classes.index({which}), {}, truth.boxes.index({of}), of});
  }
  return chosen;
}

std::vector<Tensor> RoiHeads::box_losses(const BoxPredictor::Output& found,
                                         const std::vector<Instances>& chosen) const {
  const Tensor classes = join(chosen, &Instances::classes);
  const Tensor which = at::nonzero((classes >= 0).logical_and_(classes < shape_.classes)).squeeze(1);
  const Tensor deltas = found.deltas.view({-1, shape_.classes, 4}).index({which, classes.index({which})});
  const Tensor targets = coder_.encode(join(chosen, &Instances::boxes).index({which}),
                                       join(chosen, &Instances::target_boxes).index({which}));
  return {at::cross_entropy_loss(found.scores, classes),
          (deltas - targets).abs().sum() / static_cast<double>(classes.numel())};
}

Tensor RoiHeads::mask_loss(const Tensor& masks, const std::vector<Instances>& chosen,
                           const std::vector<Objects>& objects) const {
  std::vector<Tensor> targets;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    // Each box's own picture: the mask of its object. It is a target where half of a pixel is covered.
    const Tensor whole = objects[i].masks.index({chosen[i].objects}).to(torch::kFloat).unsqueeze(1);
    const Tensor number = at::arange(whole.size(0), chosen[i].boxes.options()).unsqueeze(1);
    const Tensor rows = at::cat({number, chosen[i].boxes}, 1);
    targets.push_back(roi_align(whole, rows, {masks.size(2), 1.0, 0, true}).squeeze(1) >= 0.5);
  }
  const Tensor own = of_class(masks, join(chosen, &Instances::classes));
  return at::binary_cross_entropy_with_logits(own, at::cat(targets).to(own.scalar_type()));
}

std::vector<Instances> RoiHeads::detect(const std::vector<Tensor>& features, const std::vector<Tensor>& proposals,
                                        const ImageSize& image) {
  const BoxPredictor::Output found = predictor_->forward(flat(look(features, proposals)));
  const auto boxes = coder_.decode(found.deltas, at::cat(proposals)).split_with_sizes(lengths(proposals));
  const auto scores = at::softmax(found.scores, -1).split_with_sizes(lengths(proposals));
  std::vector<Instances> instances;
  for (std::size_t i = 0; i < proposals.size(); ++i) instances.push_back(best_of(boxes[i], scores[i], image));
  if (!mask_head_) return instances;

  const auto found_boxes = boxes_of(instances);
  const Tensor seen = stage_ ? look(features, found_boxes) : mask_pooler_(features, found_boxes);
  const Tensor own = of_class(mask_head_->forward(seen), join(instances, &Instances::classes));
  const auto masks = own.unsqueeze(1).sigmoid().split_with_sizes(lengths(found_boxes));
  for (std::size_t i = 0; i < instances.size(); ++i) instances[i].masks = masks[i];
  return instances;
}

Instances RoiHeads::best_of(const Tensor& all_boxes, const Tensor& all_scores, const ImageSize& image) const {
  Tensor boxes = all_boxes, scores = all_scores;
  const Tensor finite = at::isfinite(boxes).all(1).logical_and_(at::isfinite(scores).all(1));
  if (!finite.all().item<bool>()) {
    boxes = boxes.index({finite});
    scores = scores.index({finite});
  }
  scores = scores.slice(1, 0, shape_.classes);  // without the background
  boxes = clip_boxes(boxes.reshape({-1, 4}), image).view({-1, shape_.classes, 4});
  const Tensor likely = scores > 0.05;
  const Tensor classes = at::nonzero(likely).select(1, 1);
  boxes = boxes.index({likely});
  scores = scores.index({likely});
  const Tensor best = batched_nms(boxes, scores, classes, 0.5).slice(0, 0, shape_.detections);
  return {boxes.index({best}), scores.index({best}), classes.index({best}), {}, {}, {}};
}

}  // namespace tbci::suite
