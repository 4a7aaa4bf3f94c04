// detectron2_fcos_r_50_fpn: Tian et al., FCOS: Fully Convolutional One-Stage Object Detection (2019), in the version of
// facebookresearch/detectron2: no anchors but the centres of cells, on five levels of a pyramid. It finds boxes; that
// it is listed with segmentation is as in TorchBench.
#include <algorithm>
#include <cmath>
#include <limits>

#include "suite/blocks/detection/anchors.hpp"
#include "suite/blocks/detection/backbone.hpp"
#include "suite/blocks/detection/detection_workload.hpp"
#include "suite/blocks/detection/detectron2.hpp"
#include "suite/blocks/detection/nms.hpp"

namespace tbci::suite::models::detectron2_fcos {
namespace {

using torch::Tensor;

constexpr std::int64_t levels = 5;
constexpr std::int64_t stride_of(std::size_t level) {
  return std::int64_t{8} << level;
}

// Each level has its own statistics; scale and shift are shared.
class NormOfLevels : public torch::nn::Module {
 public:
  explicit NormOfLevels(std::int64_t channels) {
    weight_ = register_parameter("weight", torch::ones({channels}));
    bias_ = register_parameter("bias", torch::zeros({channels}));
    for (std::int64_t i = 0; i < levels; ++i) {
      means_.push_back(register_buffer("running_mean" + std::to_string(i), torch::zeros({channels})));
      variances_.push_back(register_buffer("running_var" + std::to_string(i), torch::ones({channels})));
    }
  }

  Tensor forward(const Tensor& x, std::size_t level) {
    const Tensor y = at::batch_norm(x, {}, {}, means_[level], variances_[level], is_training(), 0.1, 1e-5, true);
    return y * weight_.reshape({1, -1, 1, 1}) + bias_.reshape({1, -1, 1, 1});
  }

 private:
  Tensor weight_, bias_;
  std::vector<Tensor> means_, variances_;
};

class Tower : public torch::nn::Module {
 public:
  explicit Tower(std::int64_t channels) {
    for (int i = 0; i < 4; ++i) {
      const std::string number = std::to_string(i);
      convolutions_.push_back(register_module("convolution" + number, same_convolution(channels, channels, 3, 2.0)));
      norms_.push_back(register_module("norm" + number, std::make_shared<NormOfLevels>(channels)));
    }
  }

  Tensor forward(Tensor x, std::size_t level) {
    for (std::size_t i = 0; i < norms_.size(); ++i) {
      x = at::relu(norms_[i]->forward(convolutions_[i]->forward(x), level));
    }
    return x;
  }

 private:
  std::vector<torch::nn::Conv2d> convolutions_;
  std::vector<std::shared_ptr<NormOfLevels>> norms_;
};

// Of each level, for each cell: a score for each class, the distances to the four sides, and how central the cell is.
struct Predictions {
  std::vector<Tensor> scores, deltas, centreness;
};

class Head : public torch::nn::Module {
 public:
  Head(std::int64_t channels, std::int64_t classes) {
    of_classes_ = register_module("class_tower", std::make_shared<Tower>(channels));
    of_boxes_ = register_module("box_tower", std::make_shared<Tower>(channels));
    scores_ = register_module("scores", same_convolution(channels, classes, 3));
    deltas_ = register_module("deltas", same_convolution(channels, 4, 3));
    centreness_ = register_module("centreness", same_convolution(channels, 1, 3, 0.1));
    constexpr double likely = 0.01;  // that a cell has an object of a class
    torch::nn::init::constant_(scores_->bias, -std::log((1.0 - likely) / likely));
    torch::nn::init::constant_(deltas_->bias, 2.0);  // boxes have an extent without training
  }

  Predictions forward(const std::vector<Tensor>& features) {
    Predictions all;
    for (std::size_t level = 0; level < features.size(); ++level) {
      const Tensor scores = scores_->forward(of_classes_->forward(features[level], level));
      const Tensor x = of_boxes_->forward(features[level], level);
      all.scores.push_back(as_anchors(scores, scores.size(1)));
      all.deltas.push_back(as_anchors(deltas_->forward(x), 4));
      all.centreness.push_back(as_anchors(centreness_->forward(x), 1));
    }
    return all;
  }

 private:
  std::shared_ptr<Tower> of_classes_, of_boxes_;
  torch::nn::Conv2d scores_{nullptr}, deltas_{nullptr}, centreness_{nullptr};
};

Tensor focal_loss(const Tensor& scores, const Tensor& targets) {
  constexpr double alpha = 0.25, gamma = 2.0;
  const Tensor likely = scores.sigmoid();
  const Tensor entropy = at::binary_cross_entropy_with_logits(scores, targets, {}, {}, at::Reduction::None);
  const Tensor right = likely * targets + (1 - likely) * (1 - targets);
  const Tensor weight = alpha * targets + (1 - alpha) * (1 - targets);
  return (weight * entropy * (1 - right).pow(gamma)).sum();
}

// 1 in the middle of the box, 0 at its sides.
Tensor centreness_of(const Tensor& distances) {
  const auto ratio = [&distances](std::int64_t low, std::int64_t high) {
    const Tensor both = at::stack({distances.select(1, low), distances.select(1, high)}, -1);
    return std::get<0>(both.min(-1)) / std::get<0>(both.max(-1));
  };
  return at::sqrt(ratio(0, 2) * ratio(1, 3));
}

// For each object and cell how well they fit: 0 not at all, else the smaller the object the better. A cell fits if it
// is near the object's centre, inside it, and of the level for the object's size.
Tensor fitness(const std::vector<Tensor>& cells, const Tensor& boxes) {
  const Tensor all = at::cat(cells), side = all.select(1, 2) - all.select(1, 0);
  const auto centres = [](const Tensor& of) { return (of.slice(1, 0, 2) + of.slice(1, 2, 4)) / 2; };
  const Tensor at_cells = centres(all), at_boxes = centres(boxes);
  Tensor least = side * 4, most = side * 8;
  least.slice(0, 0, cells.front().size(0)).fill_(0);
  most.slice(0, -cells.back().size(0)).fill_(std::numeric_limits<double>::infinity());

  const Tensor away = (at_cells.unsqueeze(0) - at_boxes.unsqueeze(1)).abs_();
  Tensor fits = std::get<0>(away.max(2)) < 1.5 * side.unsqueeze(0);
  const Tensor point = at_cells.unsqueeze(0), low = boxes.slice(1, 0, 2).unsqueeze(1),
               high = boxes.slice(1, 2, 4).unsqueeze(1);
  const Tensor distances = at::cat({point - low, high - point}, 2);
  fits.logical_and_(std::get<0>(distances.min(2)) > 0);
  const Tensor farthest = std::get<0>(distances.max(2));
  fits.logical_and_((farthest > least.unsqueeze(0)).logical_and_(farthest < most.unsqueeze(0)));
  return fits.to(torch::kFloat) * (1e8 - box_area(boxes).unsqueeze(1));
}

class Fcos : public torch::nn::Module {
 public:
  Fcos(const DetectionScale& scale, double cells_with_objects)
      : scale_(scale), cells_with_objects_(cells_with_objects) {
    ResidualShape shape{.blocks = {3, 4, 6, 3}, .width = scale.width};
    shape.pixel_variance = Detectron2Input::variance;
    input_ = register_module("input", std::make_shared<Detectron2Input>(32));
    network_ = register_module("network", std::make_shared<ResidualNetwork>(shape, Style::detectron2));
    const std::int64_t first = 4 * scale.width, channels = scale.channels;
    const std::vector<std::int64_t> in{2 * first, 4 * first, 8 * first};
    pyramid_ = register_module("pyramid", std::make_shared<FeaturePyramid>(in, channels));
    for (torch::nn::Conv2d* layer : {&coarser_, &coarsest_}) {
      *layer = same_convolution(channels, channels, 3);
      (*layer)->options.stride(2);
    }
    register_module("p6", coarser_);
    register_module("p7", coarsest_);
    head_ = register_module("head", std::make_shared<Head>(channels, scale.classes));
    for (std::size_t i = 0; i < levels; ++i) {
      const auto side = static_cast<double>(stride_of(i));
      cells_.push_back(register_buffer("cell" + std::to_string(i), cell_anchors({side}, {1.0})));
    }
  }

  // In training the losses, else for each image its boxes, scores and classes.
  Tensors forward(const Scene& scene) {
    const std::vector<Tensor> stages = network_->forward(input_->forward(scene.images));
    std::vector<Tensor> features = pyramid_->forward({stages[1], stages[2], stages[3]});
    features.push_back(coarser_->forward(features.back()));
    features.push_back(coarsest_->forward(at::relu(features.back())));
    const Predictions found = head_->forward(features);
    std::vector<Tensor> cells;
    for (std::size_t i = 0; i < features.size(); ++i) {
      const ImageSize stride{.height = stride_of(i), .width = stride_of(i)};
      cells.push_back(
          grid_anchors(cells_[i], {{.height = features[i].size(2), .width = features[i].size(3)}, stride, 0.5}));
    }
    return is_training() ? losses(cells, found, scene.objects) : detect(cells, found);
  }

 private:
  Tensors losses(const std::vector<Tensor>& cells, const Predictions& found, const std::vector<Objects>& objects) {
    const Tensor all = at::cat(cells), deltas = at::cat(found.deltas, 1);
    std::vector<Tensor> classes, boxes, targets, centreness;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto [fit, which] = fitness(cells, objects[i].boxes).max(0);
      classes.push_back(at::where(fit < 1e-5, scale_.classes, objects[i].classes.index({which})));
      targets.push_back(objects[i].boxes.index({which}));
      boxes.push_back(decode_linear(deltas[static_cast<std::int64_t>(i)], all));
      centreness.push_back(centreness_of(encode_linear(all, targets.back())));
    }
    const Tensor class_of = at::stack(classes), has_object = class_of != scale_.classes;
    // A mean over the steps so far, so that a picture with few objects does not weigh too much.
    const auto count = static_cast<double>(std::max<std::int64_t>(has_object.sum().item<std::int64_t>(), 1));
    cells_with_objects_ = 0.9 * cells_with_objects_ + 0.1 * count;

    const Tensor wanted = at::one_hot(class_of, scale_.classes + 1).slice(2, 0, scale_.classes);
    const Tensor of_scores = focal_loss(at::cat(found.scores, 1), wanted.to(deltas.scalar_type()));
    const Tensor of_boxes = giou_loss(at::stack(boxes).index({has_object}), at::stack(targets).index({has_object}));
    const Tensor of_centres =
        at::binary_cross_entropy_with_logits(at::cat(found.centreness, 1).squeeze(2).index({has_object}),
                                             at::stack(centreness).index({has_object}), {}, {}, at::Reduction::Sum);
    return {of_scores / cells_with_objects_, of_boxes / cells_with_objects_, of_centres / cells_with_objects_};
  }

  Tensors detect(const std::vector<Tensor>& cells, const Predictions& found) const {
    Tensors results;
    for (std::int64_t image = 0; image < found.scores[0].size(0); ++image) {
      std::vector<Tensor> boxes, scores, classes;
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const Tensor score = at::sqrt(found.scores[i][image].sigmoid() * found.centreness[i][image].sigmoid());
        const Tensor likely = score > 0.2, where = at::nonzero(likely);
        const auto [best, which] = score.index({likely}).topk(std::min<std::int64_t>(where.size(0), 1000));
        const Tensor row = where.index({which}), cell = row.select(1, 0);
        boxes.push_back(decode_linear(found.deltas[i][image].index({cell}), cells[i].index({cell})));
        scores.push_back(best);
        classes.push_back(row.select(1, 1));
      }
      const Tensor box = at::cat(boxes), score = at::cat(scores), of = at::cat(classes);
      const Tensor best = batched_nms(box, score, of, 0.6).slice(0, 0, 100);
      const Tensor placed = clip_boxes(scale_boxes(box.index({best}), scale_.image, scale_.original), scale_.original);
      const Tensor there = longer_than(placed, 0.0);
      for (const Tensor& result : {placed, score.index({best}), of.index({best})}) {
        results.push_back(result.index({there}));
      }
    }
    return results;
  }

  DetectionScale scale_;
  double cells_with_objects_;  // in a batch
  std::shared_ptr<Detectron2Input> input_;
  std::shared_ptr<ResidualNetwork> network_;
  std::shared_ptr<FeaturePyramid> pyramid_;
  torch::nn::Conv2d coarser_{nullptr}, coarsest_{nullptr};
  std::shared_ptr<Head> head_;
  std::vector<Tensor> cells_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const DetectionScale scale = detection_scale(setup.size);
  const auto module = std::make_shared<Fcos>(scale, by_size(setup, 300.0, 20.0));
  return detection_workload(setup, module, detectron2_scene(setup, scale), steps_with_momentum(0.01));
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "detectron2_fcos_r_50_fpn",
           .domain = "computer vision",
           .task = "image segmentation",
           .source = "facebookresearch/detectron2",
           .parameters = 32244245,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 2, .infer = 2},
           .make = make,
           .differs = "trains as detectron2 does, on pictures of the size that it infers on; TorchBench only infers "
                      "with it, as an old fault of detectron2 kept it from training"}};
}

}  // namespace tbci::suite::models::detectron2_fcos
