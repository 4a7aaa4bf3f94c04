// Pastes the masks of boxes into the image.
#pragma once

#include <torch/torch.h>

#include "suite/blocks/detection/boxes.hpp"

namespace tbci::suite {

// As detectron2: each mask [boxes, 1, side, side] is sampled at the pixels of the image; true where it is above one
// half. On a CPU one after the other, each within its box alone; elsewhere all at once.
torch::Tensor paste_masks(const torch::Tensor& masks, const torch::Tensor& boxes, const ImageSize& image);

// As torchvision: each mask, with a border of one pixel, is resized to its box in whole pixels. Keeps probabilities.
torch::Tensor resize_masks_into(const torch::Tensor& masks, const torch::Tensor& boxes, const ImageSize& image);

}  // namespace tbci::suite
