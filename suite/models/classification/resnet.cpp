// resnet18, resnet50 and resnet152: He et al., Deep Residual Learning for Image Recognition (2015), version 1.5 (as
// torchvision: the stride of a bottleneck is in its 3x3 convolution). resnext50_32x4d: Xie et al., Aggregated Residual
// Transformations for Deep Neural Networks (2016).
#include "suite/blocks/resnet.hpp"

namespace tbci::suite::models {
namespace {

struct Shape {
  ResNetShape network;
  std::int64_t side;  // of the images
};

Benchmark benchmark(const std::string& name, std::int64_t parameters, const BatchSizes& paper, const BatchSizes& ci,
                    const Shape& paper_shape, const Shape& ci_shape) {
  const auto make = [paper_shape, ci_shape](const Setup& setup) {
    const Shape& shape = setup.size == Size::paper ? paper_shape : ci_shape;
    return classifier_workload(setup, std::make_shared<ResNet>(shape.network), {shape.side, shape.network.outputs});
  };
  return {name, "computer vision", "image classification", "torchvision", parameters, paper, ci, make};
}

}  // namespace

std::vector<Benchmark> resnet() {
  const std::array<int, 4> of_18{2, 2, 2, 2}, of_50{3, 4, 6, 3}, of_152{3, 8, 36, 3};
  constexpr auto basic = ResidualBlock::basic, bottleneck = ResidualBlock::bottleneck;
  return {
      benchmark("resnet18", 11689512, {16, 8}, {6, 24}, {{basic, of_18, 64, 1000}, 224}, {{basic, of_18, 16, 100}, 64}),
      benchmark("resnet50", 25557032, {32, 32}, {2, 12}, {{bottleneck, of_50, 64, 1000}, 224},
                {{bottleneck, of_50, 16, 100}, 64}),
      benchmark("resnet152", 60192808, {32, 32}, {4, 48}, {{bottleneck, of_152, 64, 1000}, 224},
                {{bottleneck, of_152, 8, 100}, 32}),
      benchmark("resnext50_32x4d", 25028904, {8, 8}, {3, 24}, {{bottleneck, of_50, 64, 1000, {2, 32}}, 224},
                {{bottleneck, of_50, 16, 100, {2, 8}}, 64}),
  };
}

}  // namespace tbci::suite::models
