#include "suite/blocks/detection/rpn.hpp"

#include <algorithm>

#include "suite/blocks/detection/backbone.hpp"
#include "suite/blocks/detection/nms.hpp"

namespace tbci::suite {

using torch::Tensor;

RpnHead::RpnHead(std::int64_t channels, std::int64_t anchors) {
  convolution_ = register_module("convolution", same_convolution(channels, channels, 3));
  const auto layer = [channels](std::int64_t out) {
    return drawn(torch::nn::Conv2d(torch::nn::Conv2dOptions(channels, out, 1)), 0.01);
  };
  scores_ = register_module("scores", layer(anchors));
  deltas_ = register_module("deltas", layer(4 * anchors));
}

RpnHead::Output RpnHead::forward(const std::vector<Tensor>& features) {
  Output output;
  for (const Tensor& level : features) {
    const Tensor x = at::relu(convolution_->forward(level));
    output.scores.push_back(as_anchors(scores_->forward(x), 1));
    output.deltas.push_back(as_anchors(deltas_->forward(x), 4));
  }
  return output;
}

Rpn::Rpn(const RpnShape& shape) : shape_(shape) {
  const std::vector<double> ratios{0.5, 1.0, 2.0};
  const auto anchors = static_cast<std::int64_t>(ratios.size() * shape.sizes[0].size());
  head_ = register_module("head", std::make_shared<RpnHead>(shape.channels, anchors));
  for (std::size_t i = 0; i < shape.sizes.size(); ++i) {
    cells_.push_back(register_buffer("cell" + std::to_string(i), cell_anchors(shape.sizes[i], ratios)));
  }
}

Rpn::Output Rpn::forward(const std::vector<Tensor>& features, const ImageSize& image,
                         const std::vector<Objects>& objects) {
  std::vector<Tensor> anchors;
  for (std::size_t i = 0; i < features.size(); ++i) {
    const ImageSize stride{shape_.strides[i], shape_.strides[i]};
    anchors.push_back(grid_anchors(cells_[i], {{features[i].size(2), features[i].size(3)}, stride}));
  }
  const RpnHead::Output found = head_->forward(features);
  Output output;
  if (is_training()) output.losses = losses(anchors, found, objects);
  const torch::NoGradGuard no_gradients;
  output.boxes = propose(anchors, found, image);
  return output;
}

std::vector<Tensor> Rpn::propose(const std::vector<Tensor>& anchors, const RpnHead::Output& found,
                                 const ImageSize& image) const {
  const Proposals& most = is_training() ? shape_.train : shape_.infer;
  const std::int64_t images = found.scores[0].size(0);
  std::vector<Tensor> boxes, scores, levels;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const Tensor all = anchors[i].unsqueeze(0).expand({images, -1, -1}).reshape({-1, 4});
    const Tensor decoded = coder_.decode(found.deltas[i].reshape({-1, 4}), all).view({images, -1, 4});
    const std::int64_t count = std::min(most.before, decoded.size(1));
    const auto [best, which] = found.scores[i].squeeze(2).topk(count, 1);
    const Tensor image_number = at::arange(images, which.options()).unsqueeze(1);
    boxes.push_back(decoded.index({image_number, which}));
    scores.push_back(best);
    levels.push_back(at::full({count}, static_cast<std::int64_t>(i), which.options()));
  }
  const Tensor all_boxes = at::cat(boxes, 1), all_scores = at::cat(scores, 1), all_levels = at::cat(levels);
  std::vector<Tensor> proposals;
  for (std::int64_t i = 0; i < images; ++i) {
    proposals.push_back(propose(all_boxes[i], all_scores[i], all_levels, image));
  }
  return proposals;
}

Tensor Rpn::propose(const Tensor& boxes, const Tensor& scores, const Tensor& levels, const ImageSize& image) const {
  Tensor kept = boxes, of_kept = scores, level = levels;
  const auto keep = [&](const Tensor& mask) {
    if (mask.all().item<bool>()) return;
    kept = kept.index({mask});
    of_kept = of_kept.index({mask});
    level = level.index({mask});
  };
  const Tensor finite = at::isfinite(kept).all(1).logical_and_(at::isfinite(of_kept));
  TORCH_CHECK(!is_training() || finite.all().item<bool>(), "training diverged: a proposal is not finite");
  keep(finite);
  kept = clip_boxes(kept, image);
  keep(longer_than(kept, 0.0));
  const Tensor best = batched_nms(kept, of_kept, level, 0.7);
  return kept.index({best.slice(0, 0, (is_training() ? shape_.train : shape_.infer).after)});
}

std::vector<Tensor> Rpn::losses(const std::vector<Tensor>& anchors, const RpnHead::Output& found,
                                const std::vector<Objects>& objects) const {
  const Tensor all = at::cat(anchors);
  std::vector<Tensor> labels, targets;
  for (const Objects& image : objects) {
    const Match matched = match(box_iou(image.boxes, all), {0.3, 0.7, true});
    const DrawnBoxes sample = draw(matched.label, shape_.sample, 0);
    const Tensor label = at::full_like(matched.label, -1);
    label.scatter_(0, sample.objects, 1);
    label.scatter_(0, sample.background, 0);
    labels.push_back(label);
    targets.push_back(coder_.encode(all, image.boxes.index({matched.object})));
  }
  const Tensor label = at::stack(labels), is_object = label == 1, is_drawn = label >= 0;
  const Tensor misplaced = at::cat(found.deltas, 1).index({is_object}) - at::stack(targets).index({is_object});
  const Tensor scores = at::cat(found.scores, 1).squeeze(2).index({is_drawn});
  const Tensor of_scores = at::binary_cross_entropy_with_logits(
      scores, label.index({is_drawn}).to(scores.scalar_type()), {}, {}, at::Reduction::Sum);
  const auto drawn_in_all = static_cast<double>(shape_.sample.size * label.size(0));
  return {of_scores / drawn_in_all, misplaced.abs().sum() / drawn_in_all};
}

}  // namespace tbci::suite
