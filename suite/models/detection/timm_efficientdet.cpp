// timm_efficientdet: Tan et al., EfficientDet: Scalable and Efficient Object Detection (2019), D1 as rwightman's
// efficientdet-pytorch (effdet) has it under the name tf_efficientdet_d1. In training all anchors are labelled in each
// step; in inference the best candidates are decoded and thinned out class by class.
#include "suite/blocks/network_workload.hpp"
#include "suite/blocks/networks/efficientdet_boxes.hpp"
#include "suite/blocks/optimizers.hpp"

namespace tbci::suite::models::timm_efficientdet {
namespace {

using namespace efficientdet;

struct Task {
  Shape network;
  std::int64_t side;  // pixels
  Choice choice;
};

Objects random_objects(const Setup& setup, std::int64_t side, std::int64_t classes) {
  constexpr std::int64_t most = 100, mean = 7;  // COCO has seven objects in an image on average
  const torch::Tensor size = 0.05 + 0.9 * torch::rand({setup.batch, most, 2});
  const torch::Tensor corner = torch::rand({setup.batch, most, 2}) * (1.0 - size);
  const torch::Tensor count = torch::randint(1, 2 * mean, {setup.batch, 1});
  const torch::Tensor real = torch::arange(most).unsqueeze(0) < count;
  const torch::Tensor of_class = torch::randint(1, classes + 1, {setup.batch, most}).to(torch::kFloat);
  return {(torch::cat({corner, corner + size}, 2) * static_cast<double>(side)).to(setup.device),
          torch::where(real, of_class, torch::full_like(of_class, -1.0)).to(setup.device)};
}

class EfficientDet final : public NetworkWorkload<Network> {
 public:
  EfficientDet(const Setup& setup, const Task& task)
      : NetworkWorkload(setup, std::make_shared<Network>(task.network)), task_(task) {
    anchors_ = anchors({.height = task.side, .width = task.side}).to(setup.device);
    images_ = torch::randn({setup.batch, 3, task.side, task.side}, torch::TensorOptions().device(setup.device));
    objects_ = random_objects(setup, task.side, task.network.classes);
    scaling_.scale = (0.5 + torch::rand({setup.batch})).to(setup.device);
    const torch::Tensor seen = (0.7 + 0.3 * torch::rand({setup.batch, 2})).to(setup.device);
    scaling_.size = seen * static_cast<double>(task.side) * scaling_.scale.unsqueeze(1);
    if (!training()) return;
    optimizer_ = timm::make_sgd(network(), {.learning_rate = 0.01, .weight_decay = 4e-5, .nesterov = false});
  }

  Tensors inputs() const override { return {images_, scaling_.size, scaling_.scale}; }

 private:
  Tensors train() override {
    const Maps maps = network().forward(images_);
    const torch::Tensor total = loss(maps, label(anchors_, objects_), task_.network.classes);
    (void)total.item<float>();  // the original keeps a mean of the losses
    zero_gradients(*optimizer_);
    total.backward();
    torch::nn::utils::clip_grad_norm_(parameters(), 10.0);
    take_step(*optimizer_);
    return {total.detach()};
  }

  Tensors infer() override {
    return {detect(network().forward(images_), anchors_, scaling_, task_.network.classes, task_.choice)};
  }

  Task task_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;  // in training only
  torch::Tensor anchors_, images_;
  Objects objects_;
  Scaling scaling_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const timm::EfficientNetShape b1{
      .width = 1.0, .depth = 1.1, .padding = timm::Padding::same, .epsilon = 1e-3, .drop_path = 0.2};
  const timm::EfficientNetShape small{
      .width = 0.25, .depth = 0.3, .padding = timm::Padding::same, .epsilon = 1e-3, .drop_path = 0.2};
  const Task paper{
      .network = {.backbone = b1, .channels = 88, .cells = 4, .repeats = 3, .classes = 90}, .side = 640, .choice = {}};
  const Task ci{.network = {.backbone = small, .channels = 16, .cells = 2, .repeats = 2, .classes = 10},
                .side = 128,
                .choice = {.candidates = 1024, .detections = 100}};
  return std::make_unique<EfficientDet>(setup, by_size(setup, paper, ci));
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "timm_efficientdet",
           .domain = "computer vision",
           .task = "object detection",
           .source = "rwightman/efficientdet-pytorch",
           .parameters = 6625898,
           .paper_batch = {.train = 16, .infer = 128},
           .ci_batch = {.train = 2, .infer = 6},
           .make = make,
           .differs = "the anchors are labelled within each step (the original's option bench_labeler), not when data "
                      "is loaded; the learning rate is that after the warm-up; inference leaves out the evaluator that "
                      "collects predictions on the host"}};
}

}  // namespace tbci::suite::models::timm_efficientdet
