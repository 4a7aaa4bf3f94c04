// The network of EfficientDet: Tan et al., EfficientDet: Scalable and Efficient Object Detection (2019), in the form of
// rwightman's efficientdet-pytorch with the padding of the original in TensorFlow.
#pragma once

#include <memory>
#include <vector>

#include "suite/blocks/networks/efficientnet.hpp"

namespace tbci::suite::efficientdet {

constexpr int levels = 5;              // of the pyramid, from 1/8 to 1/128 of the image
constexpr std::int64_t per_place = 9;  // anchors at each pixel of a level

struct Shape {
  timm::EfficientNetShape backbone;
  std::int64_t channels;  // of the pyramid
  int cells;              // of the pyramid
  int repeats;            // convolutions of a head before its last one
  std::int64_t classes;
};

// One map for each level, [batch, 9 * classes or 9 * 4, height, width].
struct Maps {
  Tensors classes;
  Tensors boxes;
};

// A convolution of each channel, then one of each pixel.
class Separable : public torch::nn::Module {
 public:
  Separable(std::int64_t in, std::int64_t out, bool with_norm);

  torch::Tensor forward(const torch::Tensor& x);

  torch::nn::Conv2d depthwise{nullptr}, pointwise{nullptr};

 private:
  torch::nn::BatchNorm2d norm_{nullptr};
};

// A feature as a node takes it in.
struct Source {
  std::size_t place;  // in the list of features
  int level;
  std::int64_t channels;
};

class Projection;
class PyramidCell;

// Mixes the features of all levels repeatedly, from coarse to fine and back.
class Pyramid : public torch::nn::Module {
 public:
  Pyramid(const std::vector<std::int64_t>& backbone, const Shape& shape);

  Tensors forward(Tensors features);

 private:
  std::shared_ptr<Projection> coarser_;  // to the first level that the backbone does not have
  std::vector<std::shared_ptr<PyramidCell>> cells_;
};

// The same convolutions on every level; each level has its own norms.
class Head : public torch::nn::Module {
 public:
  enum class Predicts { classes, boxes };
  Head(const Shape& shape, Predicts what);

  Tensors forward(const Tensors& features);

 private:
  std::vector<std::shared_ptr<Separable>> convolutions_;
  std::vector<std::vector<torch::nn::BatchNorm2d>> norms_;  // of a convolution, of a level
  std::shared_ptr<Separable> predict_;
};

class Network : public torch::nn::Module {
 public:
  explicit Network(const Shape& shape);

  Maps forward(const torch::Tensor& images);

 private:
  std::shared_ptr<timm::EfficientNetStages> backbone_;
  std::shared_ptr<Pyramid> pyramid_;
  std::shared_ptr<Head> classes_, boxes_;
};

}  // namespace tbci::suite::efficientdet
