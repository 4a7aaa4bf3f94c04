// The network of Redmon and Farhadi, YOLOv3: An Incremental Improvement (2018), in ultralytics' yolov3-spp.cfg:
// Darknet-53, spatial pyramid pooling, three levels of detections.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "suite/benchmark.hpp"
#include "suite/blocks/chain.hpp"

namespace tbci::suite::yolo {

constexpr std::int64_t anchors_per_level = 3;

struct NetworkShape {
  std::int64_t width;         // channels of the first layer
  std::array<int, 5> blocks;  // of each stage
  std::int64_t classes;
};

class Network : public torch::nn::Module {
 public:
  explicit Network(const NetworkShape& shape);

  // The predictions of the three levels, coarse to fine.
  Tensors forward(const torch::Tensor& images);

  // [images, boxes of all levels, 5 + classes]: boxes in pixels of the image.
  torch::Tensor boxes(const Tensors& levels) const;

  const torch::Tensor& anchors_of(std::size_t level) const { return anchors_[level]; }
  const std::vector<std::shared_ptr<Chain>>& heads() const { return heads_; }

 private:
  torch::Tensor by_cell(const torch::Tensor& x) const;

  std::int64_t outputs_;
  std::shared_ptr<Chain> stem_, before_pool_;
  std::vector<std::shared_ptr<Chain>> stages_, reduce_, necks_, heads_;
  std::vector<torch::Tensor> anchors_;
};

}  // namespace tbci::suite::yolo
