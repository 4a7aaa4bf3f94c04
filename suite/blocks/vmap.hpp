// Layers whose parameters have a copy for each group of samples, as functorch's vmap makes them of ordinary layers: one
// call for all groups together. So the gradient by a parameter is known for each group alone: for each sample where a
// group is one sample, for each task where it is a task. Everything here can be differentiated twice.
#pragma once

#include "suite/benchmark.hpp"

namespace tbci::suite::vmap {

// `count` equal copies of a parameter along a new first dimension.
torch::Tensor copies(const torch::Tensor& parameter, std::int64_t count);

// [groups * n, channels, ...] to [n, groups * channels, ...], and back.
torch::Tensor fold(const torch::Tensor& x, std::int64_t groups);
torch::Tensor unfold(const torch::Tensor& x, std::int64_t groups);

struct Window {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
};

// Of x [groups * n, in, h, w] with weights [groups, out, in, k, k] that are all alike: one ordinary convolution. Its
// gradient by the copies is one convolution in groups.
torch::Tensor convolution(const torch::Tensor& x, const torch::Tensor& weights, const Window& window);

// Of x [groups * n, in] with weights [groups, out, in] that are all alike.
torch::Tensor linear(const torch::Tensor& x, const torch::Tensor& weights);

struct GroupNorm {
  std::int64_t groups;  // of channels
  double eps = 1e-5;
};

// Of x [samples, channels, h, w], without scale and shift; its derivative is in elementary operators.
torch::Tensor group_norm(const torch::Tensor& x, const GroupNorm& norm);

}  // namespace tbci::suite::vmap
