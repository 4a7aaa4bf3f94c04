// Non-maximum suppression: of boxes that overlap too much, only the one with the highest score remains.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

// The numbers of the remaining boxes, best first. Greedy, as the compiled operators of torchvision are.
torch::Tensor nms(const torch::Tensor& boxes, const torch::Tensor& scores, double most_overlap);

// The same within each group (a class, a level): boxes of different groups do not suppress each other.
torch::Tensor batched_nms(const torch::Tensor& boxes, const torch::Tensor& scores, const torch::Tensor& groups,
                          double most_overlap);

}  // namespace tbci::suite
