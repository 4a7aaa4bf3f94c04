// How DBNet finds the boxes of words in its map of probabilities: Liao et al., Real-time Scene Text Detection with
// Differentiable Binarization (2020), in the form of python-doctr for straight pages. As there, it runs on the host.
#pragma once

#include <vector>

#include <torch/torch.h>

namespace tbci::suite {

// In parts of the map's width and height.
struct TextBox {
  float x1, y1, x2, y2;
  float score;  // mean probability within
};

// `probabilities` [height, width], contiguous floats on the host. Each outermost connected part of what is likely text
// gives a box, which is then enlarged, as the network has learned to shrink them.
std::vector<TextBox> text_boxes(const torch::Tensor& probabilities);

}  // namespace tbci::suite
