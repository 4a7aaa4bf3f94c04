// How torchvision's detectors prepare pictures.
#pragma once

#include <vector>

#include "suite/blocks/detection/scene.hpp"

namespace tbci::suite {

// The longest sides after resizing; the picture keeps its proportions.
struct Resizing {
  ImageSize image;  // before resizing
  std::int64_t shorter, longer;
};

// Pictures and objects as the network takes them.
struct ResizedScene {
  torch::Tensor images;          // in normalised colours, all padded to multiples of 32
  ImageSize size;                // without the padding
  std::vector<Objects> objects;  // their masks as bytes
};

ResizedScene resize_scene(const Scene& scene, const Resizing& resizing, bool with_objects);

}  // namespace tbci::suite
