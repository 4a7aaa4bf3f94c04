// The second stage of Faster and Mask R-CNN as in detectron2: a proposal's class, exact box and mask.
#pragma once

#include <vector>

#include <torch/torch.h>

#include "suite/blocks/detection/backbone.hpp"
#include "suite/blocks/detection/matching.hpp"
#include "suite/blocks/detection/roi_align.hpp"
#include "suite/blocks/detection/scene.hpp"

namespace tbci::suite {

// The detections in one image; in training, the sampled proposals and their targets.
struct Instances {
  torch::Tensor boxes, scores, classes;
  torch::Tensor masks;                  // in inference: probabilities of each box's pixels
  torch::Tensor target_boxes, objects;  // in training: of the object that the box matches, and its number
};

// Two fully connected layers on all pixels of a box.
class BoxHead : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in;
    std::int64_t width;
  };
  explicit BoxHead(const Shape& shape);

  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::nn::Linear first_{nullptr}, second_{nullptr};
};

// Faster R-CNN's last layers.
class BoxPredictor : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in;
    std::int64_t scores;  // one for each class and for the background
    std::int64_t boxes;   // classes with boxes, four deltas each
  };
  explicit BoxPredictor(const Shape& shape);

  struct Output {
    torch::Tensor scores, deltas;
  };
  Output forward(const torch::Tensor& x);

 private:
  torch::nn::Linear scores_{nullptr}, deltas_{nullptr};
};

// Mask R-CNN's: convolutions, then twice the resolution, then a mask for each class. Gives scores before the sigmoid.
class MaskHead : public torch::nn::Module {
 public:
  struct Shape {
    std::int64_t in;
    int convolutions;
    std::int64_t width;
    std::int64_t classes;
  };
  explicit MaskHead(const Shape& shape);

  torch::Tensor forward(torch::Tensor x);

 private:
  std::vector<torch::nn::Conv2d> convolutions_;
  torch::nn::ConvTranspose2d up_{nullptr};
  torch::nn::Conv2d predictor_{nullptr};
};

struct RoiHeadsShape {
  std::int64_t classes;
  std::int64_t channels;              // of the features
  std::vector<std::int64_t> strides;  // of their levels
  bool shared_stage;                  // C4: the network's last stage looks at each proposal, for boxes and masks alike
  std::int64_t width;                 // of its 3x3 convolutions then, else of the fully connected layers
  std::int64_t mask_width;            // 0: no masks
  SampleRule sample;
  double canonical_side;
  std::int64_t detections;  // in an image, at most
};

class RoiHeads : public torch::nn::Module {
 public:
  explicit RoiHeads(const RoiHeadsShape& shape);

  std::vector<torch::Tensor> losses(const std::vector<torch::Tensor>& features,
                                    const std::vector<torch::Tensor>& proposals, const std::vector<Objects>& objects);
  std::vector<Instances> detect(const std::vector<torch::Tensor>& features, const std::vector<torch::Tensor>& proposals,
                                const ImageSize& image);

 private:
  std::vector<Instances> choose(const std::vector<torch::Tensor>& proposals, const std::vector<Objects>& objects) const;
  std::vector<torch::Tensor> box_losses(const BoxPredictor::Output& found, const std::vector<Instances>& chosen) const;
  torch::Tensor mask_loss(const torch::Tensor& masks, const std::vector<Instances>& chosen,
                          const std::vector<Objects>& objects) const;
  Instances best_of(const torch::Tensor& boxes, const torch::Tensor& scores, const ImageSize& image) const;
  torch::Tensor look(const std::vector<torch::Tensor>& features, const std::vector<torch::Tensor>& boxes);
  torch::Tensor flat(const torch::Tensor& looked);

  RoiHeadsShape shape_;
  BoxCoder coder_{{10.0, 10.0, 5.0, 5.0}};
  RoiPooler box_pooler_, mask_pooler_;
  std::shared_ptr<ResidualStage> stage_;
  std::shared_ptr<BoxHead> head_;
  std::shared_ptr<BoxPredictor> predictor_;
  std::shared_ptr<MaskHead> mask_head_;
};

}  // namespace tbci::suite
