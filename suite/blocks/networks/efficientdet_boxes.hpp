// How EfficientDet uses its maps: labels of anchors and the loss in training, the choice of boxes in inference.
#pragma once

#include "suite/blocks/detection/boxes.hpp"
#include "suite/blocks/networks/efficientdet.hpp"

namespace tbci::suite::efficientdet {

// The sizes of the pyramid's levels.
std::vector<ImageSize> level_sizes(const ImageSize& image);

// Rows of x1, y1, x2, y2: of all levels, of a level's pixels row by row, of a pixel's nine anchors.
torch::Tensor anchors(const ImageSize& image);

// The objects of a batch of images. Rows of x1, y1, x2, y2; classes from 1 on, -1 where there is no object.
struct Objects {
  torch::Tensor boxes;    // [batch, most objects, 4]
  torch::Tensor classes;  // [batch, most objects]
};

// The targets of all anchors, level by level.
struct Labels {
  torch::Tensor classes;  // [batch, anchors], from 0 on; -1 is background
  torch::Tensor boxes;    // [batch, anchors, 4], as the box map has it; 0 where there is no object
  torch::Tensor objects;  // [batch] how many anchors have an object
};

Labels label(const torch::Tensor& anchors, const Objects& objects);

// The focal loss of the classes and fifty times the Huber loss of the boxes.
torch::Tensor loss(const Maps& maps, const Labels& labels, std::int64_t classes);

// How the network sees an image: its size [batch, 2] (width, height) and how many of its pixels one of the input is.
struct Scaling {
  torch::Tensor size;
  torch::Tensor scale;  // [batch]
};

struct Choice {
  std::int64_t candidates = 5000;  // of an image, the pairs of anchor and class with the highest scores
  std::int64_t detections = 100;
};

// [batch, detections, 6]: x1, y1, x2, y2 in the image's own pixels, score, class; rows of 0 behind the last one.
torch::Tensor detect(const Maps& maps, const torch::Tensor& anchors, const Scaling& scaling, std::int64_t classes,
                     const Choice& choice);

}  // namespace tbci::suite::efficientdet
