// timm_efficientnet: Tan and Le, EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks (2019),
// EfficientNet-B0 as timm's efficientnet_b0.
#include "suite/blocks/channels.hpp"
#include "suite/blocks/networks/efficientnet.hpp"

namespace tbci::suite::models::timm_efficientnet {
namespace {

using namespace timm;

class EfficientNet : public torch::nn::Module {
 public:
  EfficientNet(const EfficientNetShape& shape, std::int64_t classes) {
    stages_ = register_module("stages", std::make_shared<EfficientNetStages>(shape));
    const std::int64_t features = scaled_channels(1280, shape.width);
    last_ = register_module("conv_head", std::make_shared<timm::ConvNorm>(timm::ConvNormOptions{
                                             {stages_->channels().back(), features, 1}, Activation::silu}));
    classifier_ = register_module("classifier", torch::nn::Linear(features, classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    return classifier_->forward(pooled(last_->forward(stages_->forward(images).back())));
  }

 private:
  std::shared_ptr<EfficientNetStages> stages_;
  std::shared_ptr<timm::ConvNorm> last_;
  torch::nn::Linear classifier_{nullptr};
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Images images = by_size<Images>(setup, {.side = 224, .classes = 1000}, {.side = 64, .classes = 100});
  const EfficientNetShape shape = by_size<EfficientNetShape>(setup, {}, {.width = 0.5, .depth = 0.5});
  return timm::workload(setup, std::make_shared<EfficientNet>(shape, images.classes), images);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "timm_efficientnet",
           .domain = "computer vision",
           .task = "image classification",
           .source = "timm (efficientnet_b0)",
           .parameters = 5288548,
           .paper_batch = {.train = 32, .infer = 64},
           .ci_batch = {.train = 8, .infer = 48},
           .make = make}};
}

}  // namespace tbci::suite::models::timm_efficientnet
