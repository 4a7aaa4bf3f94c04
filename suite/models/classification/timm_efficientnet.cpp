// timm_efficientnet: Tan and Le, EfficientNet: Rethinking Model Scaling for Convolutional Neural Networks (2019),
// EfficientNet-B0 as timm's efficientnet_b0.
#include "suite/blocks/channels.hpp"
#include "suite/blocks/efficientnet.hpp"

namespace tbci::suite::models {
namespace {

using namespace timm;

class EfficientNet : public torch::nn::Module {
 public:
  EfficientNet(const EfficientNetShape& shape, std::int64_t classes) {
    stages_ = register_module("stages", std::make_shared<EfficientNetStages>(shape));
    const std::int64_t features = scaled_channels(1280, shape.width);
    last_ = register_module("conv_head", std::make_shared<ConvNorm>(ConvNormOptions{
                                             {stages_->channels().back(), features, 1}, Activation::silu}));
    classifier_ = register_module("classifier", torch::nn::Linear(features, classes));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    return classifier_->forward(pooled(last_->forward(stages_->forward(images).back())));
  }

 private:
  std::shared_ptr<EfficientNetStages> stages_;
  std::shared_ptr<ConvNorm> last_;
  torch::nn::Linear classifier_{nullptr};
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const bool paper = setup.size == Size::paper;
  const Images images = paper ? Images{224, 1000} : Images{64, 100};
  const EfficientNetShape shape = paper ? EfficientNetShape{} : EfficientNetShape{.width = 0.5, .depth = 0.5};
  return timm::workload(setup, std::make_shared<EfficientNet>(shape, images.classes), images);
}

}  // namespace

std::vector<Benchmark> timm_efficientnet() {
  return {{"timm_efficientnet",
           "computer vision",
           "image classification",
           "timm (efficientnet_b0)",
           5288548,
           {32, 64},
           {8, 48},
           make}};
}

}  // namespace tbci::suite::models
