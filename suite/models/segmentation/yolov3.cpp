// yolov3: Redmon and Farhadi, YOLOv3: An Incremental Improvement (2018), as ultralytics/yolov3 has it in
// yolov3-spp.cfg: Darknet-53, spatial pyramid pooling, three levels of detections. Training is with its burn-in and its
// moving average of the weights, inference with its non-maximum suppression.
#include <algorithm>
#include <array>
#include <cmath>

#include "suite/blocks/chain.hpp"
#include "suite/blocks/standard_workload.hpp"
#include "suite/blocks/yolo.hpp"

namespace tbci::suite::models {
namespace {

using torch::Tensor;

constexpr std::int64_t anchors_per_level = 3;
constexpr std::int64_t strides[] = {32, 16, 8};
// Width and height in pixels, three for each level.
constexpr float anchors[][6] = {{116, 90, 156, 198, 373, 326}, {30, 61, 62, 45, 59, 119}, {10, 13, 16, 30, 33, 23}};

struct Shape {
  std::int64_t width;  // channels of the first layer
  std::array<int, 5> blocks;
  std::int64_t classes;
};

struct Layer {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
  std::int64_t stride = 1;
};

Chain& add(Chain& layers, const Layer& l) {
  return layers.conv({l.in, l.out, l.kernel, l.stride, l.kernel / 2, false})
      .batch_norm(l.out, {1e-4, 0.03})
      .leaky_relu(0.1);
}

// Halves the resolution, then residual blocks.
std::shared_ptr<Chain> stage(const std::int64_t out, const int blocks) {
  auto layers = chain();
  add(*layers, {out / 2, out, 3, 2});
  for (int i = 0; i < blocks; ++i) {
    auto inner = chain();
    add(add(*inner, {out, out / 2, 1}), {out / 2, out, 3});
    layers->residual(inner);
  }
  return layers;
}

// Narrow, wide, narrow and so on.
std::shared_ptr<Chain> neck(std::int64_t in, const std::int64_t narrow, const int layers_to_add) {
  auto layers = chain();
  for (int i = 0; i < layers_to_add; ++i) {
    if (i % 2 == 0)
      add(*layers, {in, narrow, 1});
    else
      add(*layers, {narrow, in = 2 * narrow, 3});
  }
  return layers;
}

std::shared_ptr<Chain> head(const std::int64_t narrow, const std::int64_t classes) {
  auto layers = chain();
  add(*layers, {narrow, 2 * narrow, 3}).conv({2 * narrow, anchors_per_level * (5 + classes), 1});
  // Few cells have an object, and none is of any class from the start.
  const torch::NoGradGuard no_gradients;
  const Tensor bias = layers->parameters().back().view({anchors_per_level, -1});
  bias.select(1, 4) -= 4.5;
  bias.slice(1, 5) += std::log(0.6 / (static_cast<double>(classes) - 0.99));
  return layers;
}

Tensor pyramid_pool(const Tensor& x) {
  const auto pooled = [&](std::int64_t size) { return torch::max_pool2d(x, size, 1, size / 2); };
  const Tensor fine = pooled(5), middle = pooled(9), coarse = pooled(13);
  return torch::cat({coarse, middle, fine, x}, 1);
}

class Yolo : public torch::nn::Module {
 public:
  explicit Yolo(const Shape& shape) : outputs_(5 + shape.classes) {
    const std::int64_t w = shape.width;
    stem_ = register_module("stem", chain());
    add(*stem_, {3, w, 3});
    for (std::size_t i = 0; i < shape.blocks.size(); ++i) {
      const std::string name = "stage" + std::to_string(i);
      stages_.push_back(register_module(name, stage(w << (i + 1), shape.blocks[i])));
    }
    before_pool_ = register_module("before_pool", neck(32 * w, 16 * w, 3));
    necks_.push_back(register_module("neck0", neck(64 * w, 16 * w, 3)));
    heads_.push_back(register_module("head0", head(16 * w, shape.classes)));
    for (const std::int64_t narrow : {8 * w, 4 * w}) {
      const std::string number = std::to_string(heads_.size());
      reduce_.push_back(register_module("reduce" + number, chain()));
      add(*reduce_.back(), {2 * narrow, narrow, 1});
      necks_.push_back(register_module("neck" + number, neck(3 * narrow, narrow, 5)));
      heads_.push_back(register_module("head" + number, head(narrow, shape.classes)));
    }
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      const Tensor pixels = torch::tensor(std::vector<float>(anchors[i], anchors[i] + 2 * anchors_per_level));
      anchors_.push_back(
          register_buffer("anchors" + std::to_string(i), pixels.view({anchors_per_level, 2}) / strides[i]));
    }
  }

  // The predictions of the three levels, coarse to fine.
  Tensors forward(const Tensor& images) {
    std::vector<Tensor> features{stem_->forward(images)};
    for (const auto& stage : stages_) features.push_back(stage->forward(features.back()));
    Tensor x = pyramid_pool(before_pool_->forward(features.back()));
    Tensors levels;
    for (std::size_t i = 0; i < heads_.size(); ++i) {
      if (i > 0) {
        x = reduce_[i - 1]->forward(x);
        x = torch::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)});
        x = torch::cat({x, features[features.size() - 1 - i]}, 1);
      }
      x = necks_[i]->forward(x);
      levels.push_back(by_cell(heads_[i]->forward(x)));
    }
    return levels;
  }

  // [images, boxes of all levels, 5 + classes]: boxes in pixels of the image.
  Tensor boxes(const Tensors& levels) const {
    Tensors all;
    for (std::size_t i = 0; i < levels.size(); ++i) {
      Tensor p = levels[i].clone();
      const auto line = [&](std::int64_t count) { return torch::arange(count, p.options().dtype(torch::kLong)); };
      const std::vector<Tensor> places = torch::meshgrid({line(p.size(2)), line(p.size(3))}, "ij");
      const Tensor grid = torch::stack({places[1], places[0]}, 2).view({1, 1, p.size(2), p.size(3), 2}).to(p.dtype());
      p.slice(4, 0, 2).copy_(torch::sigmoid(p.slice(4, 0, 2)) + grid);
      p.slice(4, 2, 4).copy_(torch::exp(p.slice(4, 2, 4)) * anchors_[i].view({1, anchors_per_level, 1, 1, 2}));
      p.slice(4, 0, 4).mul_(strides[i]);
      p.slice(4, 4).sigmoid_();
      all.push_back(p.view({p.size(0), -1, outputs_}));
    }
    return torch::cat(all, 1);
  }

  const Tensor& anchors_of(const std::size_t level) const { return anchors_[level]; }
  const std::vector<std::shared_ptr<Chain>>& heads() const { return heads_; }

 private:
  Tensor by_cell(const Tensor& x) const {
    return x.view({x.size(0), anchors_per_level, outputs_, x.size(2), x.size(3)}).permute({0, 1, 3, 4, 2}).contiguous();
  }

  std::int64_t outputs_;
  std::shared_ptr<Chain> stem_, before_pool_;
  std::vector<std::shared_ptr<Chain>> stages_, reduce_, necks_, heads_;
  std::vector<Tensor> anchors_;
};

// Random weights see no objects, so there would be nothing to suppress. This makes of each level's last layer one that
// sees objects in one cell of a hundred and is sure of their classes, as a trained one is.
void see_objects(Yolo& yolo, const Tensor& image) {
  const torch::NoGradGuard no_gradients;
  const Tensors levels = yolo.forward(image);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    Tensors last = yolo.heads()[i]->parameters();
    const Tensor weight = last[last.size() - 2].view({anchors_per_level, levels[i].size(4), -1});
    const Tensor bias = last.back().view({anchors_per_level, -1});
    const auto spread = [&](const std::int64_t from, const std::int64_t to, const double wanted) {
      const Tensor raw = levels[i].slice(4, from, to);
      const Tensor factor = wanted / raw.std({0, 2, 3}, true, /*keepdim=*/false);  // of each anchor and output
      weight.slice(1, from, to).mul_(factor.unsqueeze(2));
      bias.slice(1, from, to).copy_((bias.slice(1, from, to) - raw.mean({0, 2, 3})) * factor);
    };
    spread(4, 5, 2.0);
    bias.select(1, 4) -= 5.5;
    spread(5, levels[i].size(4), 2.0);
  }
}

// Rows of number of the image, class, centre and size: 1 to 14 objects in an image, 7 on average, as in COCO.
Tensor random_objects(const std::int64_t images, const std::int64_t classes) {
  Tensors all;
  for (std::int64_t image = 0; image < images; ++image) {
    const auto count = torch::randint(1, 15, {1}).item<std::int64_t>();
    const Tensor type = torch::randint(classes, {count, 1}).to(torch::kFloat);
    const Tensor size = 0.02 + 0.5 * torch::rand({count, 2}).pow(2);
    const Tensor centre = size / 2 + torch::rand({count, 2}) * (1 - size);
    all.push_back(torch::cat({torch::full({count, 1}, static_cast<double>(image)), type, centre, size}, 1));
  }
  return torch::cat(all);
}

class Detector final : public Workload {
 public:
  Detector(const Setup& setup, const Shape& shape, const std::vector<std::int64_t>& image_size)
      : training_(setup.mode == Mode::train), scale_(static_cast<double>(setup.batch) / 64) {
    yolo_ = std::make_shared<Yolo>(shape);
    yolo_->to(setup.device);
    yolo_->train(training_);
    images_ = torch::rand({setup.batch, 3, image_size[0], image_size[1]}).to(setup.device);
    if (training_) {
      objects_ = random_objects(setup.batch, shape.classes).to(setup.device);
      prepare_training();
    } else {
      see_objects(*yolo_, images_.slice(0, 0, 1));
    }
  }

  void iterate() override {
    if (training_) {
      train();
      return;
    }
    const torch::NoGradGuard no_gradients;
    const Tensors levels = yolo_->forward(images_);
    results_ = {yolo_->boxes(levels)};
    const Tensors found = yolo::detections(results_[0], {0.3, 0.6});
    results_.insert(results_.end(), levels.begin(), levels.end());
    results_.insert(results_.end(), found.begin(), found.end());
  }

  Tensors results() const override { return results_; }
  Tensors parameters() const override { return yolo_->parameters(); }
  std::shared_ptr<torch::nn::Module> module() const override { return yolo_; }
  Tensors inputs() const override { return {images_}; }

 private:
  void prepare_training() {
    Tensors weights, biases, others;
    for (const auto& named : yolo_->named_parameters()) {
      const bool bias = named.key().find("bias") != std::string::npos;
      (bias ? biases : named.value().dim() > 1 ? weights : others).push_back(named.value());
      averages_.push_back({named.value(), named.value().detach().clone()});
    }
    for (const Tensor& buffer : yolo_->buffers()) {
      if (buffer.is_floating_point()) averages_.push_back({buffer, buffer.clone()});
    }
    const auto options = torch::optim::SGDOptions(0.01).momentum(0.937).nesterov(true);
    optimizer_ = std::make_unique<torch::optim::SGD>(
        std::vector<torch::optim::OptimizerParamGroup>{{others}, {weights}, {biases}}, options);
  }

  void train() {
    burn_in();
    const Tensors levels = yolo_->forward(images_);
    std::vector<yolo::Level> with_anchors;
    for (std::size_t i = 0; i < levels.size(); ++i) with_anchors.push_back({levels[i], yolo_->anchors_of(i)});
    const Tensor loss = yolo::loss(with_anchors, objects_, ramp(0.0, 1.0)) * scale_;
    optimizer_->zero_grad();
    loss.backward();
    optimizer_->step();
    ++iterations_;
    average();
    results_ = {loss.detach()};
  }

  // From one value to another in the first 500 iterations.
  double ramp(const double from, const double to) const {
    return from + (to - from) * std::min(1.0, static_cast<double>(iterations_) / 500.0);
  }

  void burn_in() {
    auto& groups = optimizer_->param_groups();
    for (std::size_t i = 0; i < groups.size(); ++i) {
      auto& options = static_cast<torch::optim::SGDOptions&>(groups[i].options());
      options.lr(ramp(i == 2 ? 0.1 : 0.0, 0.01));
      options.weight_decay(ramp(0.0, i == 1 ? 0.0005 : 0.0));
      options.momentum(ramp(0.9, 0.937));
    }
  }

  void average() {
    const torch::NoGradGuard no_gradients;
    const double keep = 0.9999 * (1 - std::exp(-static_cast<double>(iterations_) / 2000.0));
    for (Average& average : averages_) average.mean.mul_(keep).add_((1 - keep) * average.of.detach());
  }

  struct Average {
    Tensor of, mean;
  };

  bool training_;
  double scale_;  // of the loss: it was tuned for batches of 64
  std::shared_ptr<Yolo> yolo_;
  Tensor images_, objects_;
  std::vector<Average> averages_;
  std::unique_ptr<torch::optim::SGD> optimizer_;
  std::int64_t iterations_ = 0;
  Tensors results_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const bool training = setup.mode == Mode::train;
  if (setup.size == Size::ci)
    return std::make_unique<Detector>(setup, Shape{4, {1, 2, 2, 2, 1}, 80}, std::vector<std::int64_t>{96, 128});
  const std::vector<std::int64_t> image =
      training ? std::vector<std::int64_t>{416, 416} : std::vector<std::int64_t>{384, 512};
  return std::make_unique<Detector>(setup, Shape{32, {1, 2, 8, 8, 4}, 80}, image);
}

}  // namespace

std::vector<Benchmark> yolov3() {
  return {
      {"yolov3",
       "computer vision",
       "image segmentation",
       "ultralytics/yolov3",
       62998749,
       {16, 8},
       {2, 4},
       make,
       "the burn-in goes on from one iteration to the next, where the original's starts anew with a learning rate of "
       "0 for the weights; in inference the last layers are scaled so that there are objects to suppress; in float32 "
       "everywhere (the original infers with automatic mixed precision on GPUs)"}};
}

}  // namespace tbci::suite::models
