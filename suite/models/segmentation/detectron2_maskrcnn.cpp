// detectron2_maskrcnn and detectron2_maskrcnn_*: He et al., Mask R-CNN (2017), in the versions of
// facebookresearch/detectron2, which add a mask for each box to its Faster R-CNN.
#include "suite/blocks/detection/rcnn.hpp"

namespace tbci::suite::models::detectron2_maskrcnn {
namespace {

Rcnn mask_rcnn(const std::string& name, Layout layout, const std::array<int, 4>& blocks) {
  Rcnn rcnn;
  rcnn.name = name;
  rcnn.task = "image segmentation";
  rcnn.layout = layout;
  rcnn.blocks = blocks;
  rcnn.masks = true;
  rcnn.ci_batch = {.train = 2, .infer = 2};
  const bool c4 = layout == Layout::c4, deep = blocks == resnet101_blocks;
  rcnn.parameters = c4 ? (deep ? 54849516 : 35909612) : (deep ? 63283120 : 44343216);
  return rcnn;
}

// Only the configuration named detectron2_maskrcnn freezes no stage, and it has its own optimizer.
Rcnn plain() {
  Rcnn rcnn = mask_rcnn("detectron2_maskrcnn", Layout::fpn, resnet50_blocks);
  rcnn.task = "object detection";
  rcnn.frozen = 0;
  rcnn.plain_optimizer = true;
  rcnn.differs = "learns at a rate of 0.001, where the original's rate of 0 leaves all parameters as they are";
  return rcnn;
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {rcnn_benchmark(plain()),
          rcnn_benchmark(mask_rcnn("detectron2_maskrcnn_r_50_c4", Layout::c4, resnet50_blocks)),
          rcnn_benchmark(mask_rcnn("detectron2_maskrcnn_r_50_fpn", Layout::fpn, resnet50_blocks)),
          rcnn_benchmark(mask_rcnn("detectron2_maskrcnn_r_101_c4", Layout::c4, resnet101_blocks)),
          rcnn_benchmark(mask_rcnn("detectron2_maskrcnn_r_101_fpn", Layout::fpn, resnet101_blocks))};
}

}  // namespace tbci::suite::models::detectron2_maskrcnn
