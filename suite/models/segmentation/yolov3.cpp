// yolov3: Redmon and Farhadi, YOLOv3: An Incremental Improvement (2018), as ultralytics/yolov3 has it in
// yolov3-spp.cfg: Darknet-53, spatial pyramid pooling, three levels of detections. Training is with its burn-in and its
// moving average of the weights, inference with its non-maximum suppression.
#include <algorithm>
#include <cmath>

#include "suite/blocks/networks/yolo.hpp"
#include "suite/blocks/networks/yolo_network.hpp"
#include "suite/blocks/optimizers.hpp"

namespace tbci::suite::models::yolov3 {
namespace {

using torch::Tensor;

// Random weights see no objects, so there would be nothing to suppress. This makes of each level's last layer one that
// sees objects in one cell of a hundred and is sure of their classes, as a trained one is.
void see_objects(yolo::Network& network, const Tensor& image) {
  const torch::NoGradGuard no_gradients;
  const Tensors levels = network.forward(image);
  for (std::size_t i = 0; i < levels.size(); ++i) {
    Tensors last = network.heads()[i]->parameters();
    const Tensor weight = last[last.size() - 2].view({yolo::anchors_per_level, levels[i].size(4), -1});
    const Tensor bias = last.back().view({yolo::anchors_per_level, -1});
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
  Detector(const Setup& setup, const yolo::NetworkShape& shape, const std::vector<std::int64_t>& image_size)
      : training_(setup.mode == Mode::train), scale_(static_cast<double>(setup.batch) / 64) {
    network_ = std::make_shared<yolo::Network>(shape);
    network_->to(setup.device);
    network_->train(training_);
    images_ = torch::rand({setup.batch, 3, image_size[0], image_size[1]}).to(setup.device);
    if (training_) {
      objects_ = random_objects(setup.batch, shape.classes).to(setup.device);
      prepare_training();
    } else {
      see_objects(*network_, images_.slice(0, 0, 1));
    }
  }

  void iterate() override {
    if (training_) {
      train();
      return;
    }
    const torch::NoGradGuard no_gradients;
    const Tensors levels = network_->forward(images_);
    results_ = {network_->boxes(levels)};
    const Tensors found = yolo::detections(results_[0], {.confidence = 0.3, .overlap = 0.6});
    results_.insert(results_.end(), levels.begin(), levels.end());
    results_.insert(results_.end(), found.begin(), found.end());
  }

  Tensors results() const override { return results_; }
  Tensors parameters() const override { return network_->parameters(); }
  std::shared_ptr<torch::nn::Module> module() const override { return network_; }
  Tensors inputs() const override { return {images_}; }

 private:
  void prepare_training() {
    Tensors weights, biases, others;
    for (const auto& named : network_->named_parameters()) {
      const bool bias = named.key().find("bias") != std::string::npos;
      (bias ? biases : named.value().dim() > 1 ? weights : others).push_back(named.value());
      averages_.push_back({named.value(), named.value().detach().clone()});
    }
    for (const Tensor& buffer : network_->buffers()) {
      if (buffer.is_floating_point()) averages_.push_back({buffer, buffer.clone()});
    }
    const auto options = torch::optim::SGDOptions(0.01).momentum(0.937).nesterov(true);
    optimizer_ = std::make_unique<torch::optim::SGD>(
        std::vector<torch::optim::OptimizerParamGroup>{{others}, {weights}, {biases}}, options);
  }

  void train() {
    burn_in();
    const Tensors levels = network_->forward(images_);
    std::vector<yolo::Level> with_anchors;
    for (std::size_t i = 0; i < levels.size(); ++i) with_anchors.push_back({levels[i], network_->anchors_of(i)});
    const Tensor loss = yolo::loss(with_anchors, objects_, ramp(0.0, 1.0)) * scale_;
    zero_gradients(*optimizer_);
    loss.backward();
    take_step(*optimizer_);
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
  std::shared_ptr<yolo::Network> network_;
  Tensor images_, objects_;
  std::vector<Average> averages_;
  std::unique_ptr<torch::optim::SGD> optimizer_;
  std::int64_t iterations_ = 0;
  Tensors results_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const bool training = setup.mode == Mode::train;
  if (setup.size == Size::ci)
    return std::make_unique<Detector>(setup, yolo::NetworkShape{.width = 4, .blocks = {1, 2, 2, 2, 1}, .classes = 80},
                                      std::vector<std::int64_t>{96, 128});
  const std::vector<std::int64_t> image =
      training ? std::vector<std::int64_t>{416, 416} : std::vector<std::int64_t>{384, 512};
  return std::make_unique<Detector>(setup, yolo::NetworkShape{.width = 32, .blocks = {1, 2, 8, 8, 4}, .classes = 80},
                                    image);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "yolov3",
           .domain = "computer vision",
           .task = "image segmentation",
           .source = "ultralytics/yolov3",
           .parameters = 62998749,
           .paper_batch = {.train = 16, .infer = 8},
           .ci_batch = {.train = 2, .infer = 4},
           .make = make,
           .differs =
               "the burn-in continues from one iteration to the next, where the original's restarts with a learning "
               "rate of 0 for the weights; in inference the last layers are scaled so that there are objects to "
               "suppress; in float32 everywhere (the original infers with automatic mixed precision on GPUs)"}};
}

}  // namespace tbci::suite::models::yolov3
