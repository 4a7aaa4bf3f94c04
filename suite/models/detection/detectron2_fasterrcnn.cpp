// detectron2_fasterrcnn_*: Ren et al., Faster R-CNN (2015), in the versions of facebookresearch/detectron2: on the
// fourth stage of a residual network (C4), on its dilated fifth (DC5), and on a feature pyramid (FPN; Lin et al.,
// 2017).
#include "suite/blocks/detection/rcnn.hpp"

namespace tbci::suite::models::detectron2_fasterrcnn {

std::vector<Benchmark> benchmarks() {
  const auto row = [](const std::string& name, Layout layout, const std::array<int, 4>& blocks, std::int64_t parameters,
                      const BatchSizes& ci) {
    Rcnn rcnn;
    rcnn.name = "detectron2_fasterrcnn_" + name;
    rcnn.task = "object detection";
    rcnn.layout = layout;
    rcnn.blocks = blocks;
    rcnn.masks = false;
    rcnn.parameters = parameters;
    rcnn.ci_batch = ci;
    return rcnn_benchmark(rcnn);
  };
  return {row("r_50_c4", Layout::c4, resnet50_blocks, 33791644, {.train = 2, .infer = 2}),
          row("r_50_dc5", Layout::dc5, resnet50_blocks, 165581468, {.train = 2, .infer = 2}),
          row("r_50_fpn", Layout::fpn, resnet50_blocks, 41699936, {.train = 2, .infer = 2}),
          row("r_101_c4", Layout::c4, resnet101_blocks, 52731548, {.train = 2, .infer = 2}),
          row("r_101_dc5", Layout::dc5, resnet101_blocks, 184521372, {.train = 2, .infer = 2}),
          row("r_101_fpn", Layout::fpn, resnet101_blocks, 60639840, {.train = 2, .infer = 2})};
}

}  // namespace tbci::suite::models::detectron2_fasterrcnn
