// The pictures and the input layer of all models of facebookresearch/detectron2 in TorchBench.
#pragma once

#include "suite/benchmark.hpp"
#include "suite/blocks/detection/boxes.hpp"
#include "suite/blocks/detection/scene.hpp"

namespace tbci::suite {

struct DetectionScale {
  ImageSize image;     // as the network gets it
  ImageSize original;  // before resizing: detections refer to this size
  std::int64_t objects;
  std::int64_t classes;
  std::int64_t width;     // of the residual network's first stage
  std::int64_t channels;  // of a feature pyramid
  double anchor;          // the side of the smallest
};

DetectionScale detection_scale(Size size);

// Images with pixels from 0 to 255.
Scene detectron2_scene(const Setup& setup, const DetectionScale& scale);

// Subtracts the mean colour (blue first; does not divide by the deviation) and pads both sides to a multiple.
class Detectron2Input : public torch::nn::Module {
 public:
  explicit Detectron2Input(std::int64_t multiple);

  torch::Tensor forward(const torch::Tensor& images);

  static constexpr double variance = 5500.0;  // of its output, for our pictures

 private:
  std::int64_t multiple_;
  torch::Tensor mean_, deviation_;
};

}  // namespace tbci::suite
