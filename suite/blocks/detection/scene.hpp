// Synthetic pictures with objects, in place of a data set: the input of detectors.
#pragma once

#include <vector>

#include <torch/torch.h>

#include "suite/blocks/detection/boxes.hpp"

namespace tbci::suite {

// The objects in one image. The masks have the size of the image.
struct Objects {
  torch::Tensor boxes;    // [objects, 4]
  torch::Tensor classes;  // [objects], from 0
  torch::Tensor masks;    // [objects, height, width], true within
};

struct Scene {
  torch::Tensor images;  // [images, 3, height, width], from 0 to 1
  std::vector<Objects> objects;
};

struct SceneShape {
  ImageSize image;
  std::int64_t objects;  // in each image
  std::int64_t classes;
};

// Ellipses of random size, place and colour on a random ground.
Scene draw_scene(std::int64_t images, const SceneShape& shape, const torch::Device& device);

}  // namespace tbci::suite
