// A small dlrm that learns to predict clicks: embedding tables, a bottom and a top of layers, and the dot products
// between all features.
#pragma once

#include <cstdint>

#include <torch/torch.h>

namespace tbci::suite::learning {

class Student : public torch::nn::Module {
 public:
  // Each table has `rows` rows: what is asked for beyond them shares the last one. The weights follow from the seed
  // alone, and are the same with each LibTorch.
  Student(std::int64_t rows, std::uint64_t seed);

  // The logarithms of the odds of a click, [samples, 1]. `dense`: [samples, teacher_dense]; `ranks`: [teacher_tables,
  // samples].
  torch::Tensor forward(const torch::Tensor& dense, const torch::Tensor& ranks);

  std::int64_t parameters_of_tables() const;

  // Floating-point operations of training on one sample: products and sums of the forward pass, and twice as many for
  // the gradients of inputs and weights.
  double operations_of_sample() const;

 private:
  std::vector<torch::Tensor> tables_;
  torch::nn::Sequential bottom_{nullptr}, top_{nullptr};
  torch::nn::Linear last_{nullptr};
  torch::Tensor first_, second_;
};

}  // namespace tbci::suite::learning
