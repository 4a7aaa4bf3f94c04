// Su et al., RoFormer (2021): a word's place rotates the queries and keys. In the form of Hugging Face's transformers,
// where the first and the second half of a head are the two coordinates.
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

struct Rotation {
  torch::Tensor cosine;  // [1, length, rotated width of a head]
  torch::Tensor sine;
};

class Rotary : public torch::nn::Module {
 public:
  Rotary(std::int64_t width, double base);

  Rotation forward(const torch::Tensor& places) const;  // of places [1, length]

 private:
  torch::Tensor frequencies_;
};

// Turns the first channels of each head of x [batch, heads, length, width], as many as the rotation has.
torch::Tensor rotate(const torch::Tensor& x, const Rotation& rotation);

}  // namespace tbci::suite
