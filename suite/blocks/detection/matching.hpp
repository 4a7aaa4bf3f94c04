// Which object a box is to find, and which boxes a step of training looks at.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

struct Match {
  torch::Tensor object;  // the number of the object that overlaps the box most
  torch::Tensor label;   // 1: it is to find that object; 0: it is background; -1: neither
};

struct MatchRule {
  double background;           // overlaps below this are background
  double object;               // from this on it is the object
  bool best_always_an_object;  // for each object, the boxes that overlap it most belong to it, however little it is
};

// `overlaps` [objects, boxes].
Match match(const torch::Tensor& overlaps, const MatchRule& rule);

struct Sample {
  torch::Tensor objects, background;  // numbers of the boxes
};

struct SampleRule {
  std::int64_t size;
  double objects;  // the largest part of it
};

// Draws boxes by their labels: `background` is that of background, -1 is never drawn.
Sample draw(const torch::Tensor& labels, const SampleRule& rule, std::int64_t background);

}  // namespace tbci::suite
