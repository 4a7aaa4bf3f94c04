// Assigns boxes to objects, and samples the boxes for a training step.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

struct Match {
  torch::Tensor object;  // the number of the object that overlaps the box most
  torch::Tensor label;   // 1: matches that object; 0: background; -1: neither
};

struct MatchRule {
  double background;           // overlaps below this are background
  double object;               // overlaps from this on are the object
  bool best_always_an_object;  // the boxes that overlap an object most match it, even if the overlap is small
};

// `overlaps` [objects, boxes].
Match match(const torch::Tensor& overlaps, const MatchRule& rule);

struct DrawnBoxes {
  torch::Tensor objects, background;  // numbers of the boxes
};

struct SampleRule {
  std::int64_t size;
  double objects;  // the largest share of objects
};

// Draws boxes by their labels: `background` is the label of background, -1 is never drawn.
DrawnBoxes draw(const torch::Tensor& labels, const SampleRule& rule, std::int64_t background);

}  // namespace tbci::suite
