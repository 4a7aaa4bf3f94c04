// The stages of an EfficientNet. The classifier and EfficientDet use them.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "suite/blocks/timm.hpp"

namespace tbci::suite::timm {

struct EfficientNetShape {
  double width = 1.0;  // factors on those of EfficientNet-B0
  double depth = 1.0;
  int stages = 7;
  Padding padding = Padding::half;
  double epsilon = 1e-5;
  double drop_path = 0.0;  // of a block behind the last one; the first has none, linear between
};

// Sandler et al., MobileNetV2 (2018), with squeeze-and-excitation: widens, convolves each channel, narrows.
class InvertedResidual : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in, out, kernel, stride, expansion;
    double drop_path;
  };
  InvertedResidual(const Shape& shape, const EfficientNetShape& network);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  bool residual_;
  double drop_path_;
  std::shared_ptr<ConvNorm> widen_, depthwise_, narrow_;  // no `widen_` where the expansion is 1
  std::shared_ptr<SqueezeExcite> excite_;
};

class EfficientNetStages : public torch::nn::Module {
 public:
  explicit EfficientNetStages(const EfficientNetShape& shape);

  // The output of each stage.
  Tensors forward(const torch::Tensor& images);

  const std::vector<std::int64_t>& channels() const { return channels_; }  // of what each stage gives

 private:
  std::shared_ptr<ConvNorm> stem_;
  std::vector<std::vector<std::shared_ptr<InvertedResidual>>> stages_;
  std::vector<std::int64_t> channels_;
};

}  // namespace tbci::suite::timm
