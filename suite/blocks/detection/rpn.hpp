// The region proposal network of Ren et al., Faster R-CNN (2015), as detectron2 has it.
#pragma once

#include <vector>

#include <torch/torch.h>

#include "suite/blocks/detection/anchors.hpp"
#include "suite/blocks/detection/matching.hpp"
#include "suite/blocks/detection/scene.hpp"

namespace tbci::suite {

// A 3x3 convolution on each level, then for each anchor a score and four deltas.
class RpnHead : public torch::nn::Module {
 public:
  RpnHead(std::int64_t channels, std::int64_t anchors);

  struct Output {
    std::vector<torch::Tensor> scores, deltas;  // of each level: [images, anchors, 1 or 4]
  };
  Output forward(const std::vector<torch::Tensor>& features);

 private:
  torch::nn::Conv2d convolution_{nullptr}, scores_{nullptr}, deltas_{nullptr};
};

// The number of proposals to keep: per level before suppression, in total after it.
struct Proposals {
  std::int64_t before;
  std::int64_t after;
};

struct RpnShape {
  std::int64_t channels;
  std::vector<std::vector<double>> sizes;  // of anchors, for each level
  std::vector<std::int64_t> strides;
  Proposals train, infer;
  SampleRule sample;
};

class Rpn : public torch::nn::Module {
 public:
  explicit Rpn(const RpnShape& shape);

  struct Output {
    std::vector<torch::Tensor> boxes;   // of each image, best first
    std::vector<torch::Tensor> losses;  // in training: of the scores and of the boxes
  };
  // `objects` are used in training only.
  Output forward(const std::vector<torch::Tensor>& features, const ImageSize& image,
                 const std::vector<Objects>& objects);

 private:
  torch::Tensor propose(const torch::Tensor& boxes, const torch::Tensor& scores, const torch::Tensor& levels,
                        const ImageSize& image) const;
  std::vector<torch::Tensor> propose(const std::vector<torch::Tensor>& anchors, const RpnHead::Output& found,
                                     const ImageSize& image) const;
  std::vector<torch::Tensor> losses(const std::vector<torch::Tensor>& anchors, const RpnHead::Output& found,
                                    const std::vector<Objects>& objects) const;

  RpnShape shape_;
  BoxCoder coder_{{1.0, 1.0, 1.0, 1.0}};
  std::shared_ptr<RpnHead> head_;
  std::vector<torch::Tensor> cells_;  // the anchors of each level
};

}  // namespace tbci::suite
