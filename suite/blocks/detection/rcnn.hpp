// Faster R-CNN (Ren et al., 2015) and Mask R-CNN (He et al., 2017) as facebookresearch/detectron2 has them, on three
// kinds of features: C4, whose last stage looks at each proposal; DC5, whose last stage is dilated; and a pyramid.
#pragma once

#include <array>
#include <string>

#include "suite/benchmark.hpp"

namespace tbci::suite {

enum class Layout { c4, dc5, fpn };

struct Rcnn {
  std::string name;
  std::string task;
  Layout layout;
  std::array<int, 4> blocks;  // of the residual network
  bool masks;
  int frozen = 2;  // stages that do not learn, the stem being the first
  std::int64_t parameters;
  BatchSizes ci_batch;
  bool plain_optimizer = false;  // without momentum and decay
  std::string differs = "";      // in addition to the differences that all of them have
};

Benchmark rcnn_benchmark(const Rcnn& rcnn);

// The blocks of residual networks with 50 and 101 layers.
inline constexpr std::array<int, 4> resnet50_blocks{3, 4, 6, 3}, resnet101_blocks{3, 4, 23, 3};

}  // namespace tbci::suite
