// resnet18, resnet50 and resnet152: He et al., Deep Residual Learning for Image Recognition (2015), version 1.5 (as
// torchvision: the stride of a bottleneck is in its 3x3 convolution). resnext50_32x4d: Xie et al., Aggregated Residual
// Transformations for Deep Neural Networks (2016).
#include "suite/blocks/networks/resnet.hpp"

namespace tbci::suite::models::resnet {
namespace {

struct Shape {
  ResNetShape network;
  std::int64_t side;  // of the images
};

struct Row {
  std::string name;
  std::int64_t parameters;
  BatchSizes paper_batch;
  BatchSizes ci_batch;
  Shape paper;
  Shape ci;
};

Benchmark benchmark(const Row& row) {
  const auto make = [row](const Setup& setup) {
    const Shape shape = by_size(setup, row.paper, row.ci);
    return classifier_workload(setup, std::make_shared<ResNet>(shape.network),
                               {.side = shape.side, .classes = shape.network.outputs});
  };
  return {.name = row.name,
          .domain = "computer vision",
          .task = "image classification",
          .source = "torchvision",
          .parameters = row.parameters,
          .paper_batch = row.paper_batch,
          .ci_batch = row.ci_batch,
          .make = make};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  const std::array<int, 4> of_18{2, 2, 2, 2}, of_50{3, 4, 6, 3}, of_152{3, 8, 36, 3};
  constexpr auto basic = ResidualBlock::basic, bottleneck = ResidualBlock::bottleneck;
  return {
      benchmark({.name = "resnet18",
                 .parameters = 11689512,
                 .paper_batch = {.train = 16, .infer = 8},
                 .ci_batch = {.train = 6, .infer = 24},
                 .paper = {.network = {.block = basic, .blocks = of_18, .width = 64, .outputs = 1000}, .side = 224},
                 .ci = {.network = {.block = basic, .blocks = of_18, .width = 16, .outputs = 100}, .side = 64}}),
      benchmark(
          {.name = "resnet50",
           .parameters = 25557032,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 2, .infer = 12},
           .paper = {.network = {.block = bottleneck, .blocks = of_50, .width = 64, .outputs = 1000}, .side = 224},
           .ci = {.network = {.block = bottleneck, .blocks = of_50, .width = 16, .outputs = 100}, .side = 64}}),
      benchmark(
          {.name = "resnet152",
           .parameters = 60192808,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 4, .infer = 48},
           .paper = {.network = {.block = bottleneck, .blocks = of_152, .width = 64, .outputs = 1000}, .side = 224},
           .ci = {.network = {.block = bottleneck, .blocks = of_152, .width = 8, .outputs = 100}, .side = 32}}),
      benchmark({.name = "resnext50_32x4d",
                 .parameters = 25028904,
                 .paper_batch = {.train = 8, .infer = 8},
                 .ci_batch = {.train = 3, .infer = 24},
                 .paper = {.network = {.block = bottleneck,
                                       .blocks = of_50,
                                       .width = 64,
                                       .outputs = 1000,
                                       .inner = {.widening = 2, .groups = 32}},
                           .side = 224},
                 .ci = {.network = {.block = bottleneck,
                                    .blocks = of_50,
                                    .width = 16,
                                    .outputs = 100,
                                    .inner = {.widening = 2, .groups = 8}},
                        .side = 64}}),
  };
}

}  // namespace tbci::suite::models::resnet
