// The networks of an agent whose observations are pictures, as in denisyarats/drq: convolutions that actor and critics
// share, and the layers on top of them.
#pragma once

#include <memory>
#include <vector>

#include "suite/blocks/squashed_normal.hpp"

namespace tbci::suite::pixels {

struct Shape {
  std::int64_t channels;  // of an observation: three frames of nine
  std::int64_t side;
  std::int64_t filters;
  std::int64_t features;
  std::int64_t hidden;
};

// From observations [batch, channels, side, side], 0 to 255, to features [batch, numbers].
class Convolutions : public torch::nn::Module {
 public:
  explicit Convolutions(const Shape& shape);
  torch::Tensor forward(const torch::Tensor& observation);

 private:
  std::vector<torch::nn::Conv2d> layers_;
};

// A projection to fewer features, from -1 to 1.
class Head : public torch::nn::Module {
 public:
  explicit Head(const Shape& shape);
  torch::Tensor forward(const torch::Tensor& seen);

 private:
  torch::nn::Linear layer_{nullptr};
  torch::nn::LayerNorm norm_{nullptr};
};

class Mlp : public torch::nn::Module {
 public:
  Mlp(std::int64_t in, std::int64_t hidden, std::int64_t out);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  std::vector<torch::nn::Linear> layers_;
};

// The policy of one action.
class Actor : public torch::nn::Module {
 public:
  explicit Actor(const Shape& shape);
  SquashedNormal forward(const torch::Tensor& seen);

 private:
  std::shared_ptr<Head> head_;
  std::shared_ptr<Mlp> trunk_;
};

// Two opinions [batch, 1] on what an action is worth.
class Critic : public torch::nn::Module {
 public:
  explicit Critic(const Shape& shape);

  struct Values {
    torch::Tensor first, second;
    torch::Tensor lower() const { return torch::minimum(first, second); }
    torch::Tensor error(const torch::Tensor& wanted) const {
      return torch::mse_loss(first, wanted) + torch::mse_loss(second, wanted);
    }
  };
  Values forward(const torch::Tensor& seen, const torch::Tensor& action);

 private:
  std::shared_ptr<Head> head_;
  std::shared_ptr<Mlp> first_, second_;
};

}  // namespace tbci::suite::pixels
