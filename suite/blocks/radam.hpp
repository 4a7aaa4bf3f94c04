// Liu et al., On the Variance of the Adaptive Learning Rate and Beyond (2019): Adam that waits until it knows the
// variance of the gradients. LibTorch's C++ API has none.
#pragma once

#include <cmath>
#include <utility>

#include "suite/benchmark.hpp"

namespace tbci::suite {

class RAdam final : public torch::optim::Optimizer {
 public:
  RAdam(Tensors parameters, double learning_rate)
      : Optimizer({torch::optim::OptimizerParamGroup(parameters)},
                  std::make_unique<torch::optim::AdamOptions>(learning_rate)),
        parameters_(std::move(parameters)),
        rate_(learning_rate) {
    for (const torch::Tensor& parameter : parameters_) {
      means_.push_back(torch::zeros_like(parameter));
      squares_.push_back(torch::zeros_like(parameter));
    }
  }

  torch::Tensor step(LossClosure closure = nullptr) override {
    torch::Tensor loss;
    if (closure) loss = closure();
    const torch::NoGradGuard no_gradients;
    ++count_;
    const double known = 1.0 / (1.0 - std::pow(beta1, count_));
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      const torch::Tensor& gradient = parameters_[i].grad();
      if (!gradient.defined()) continue;
      squares_[i].mul_(beta2).addcmul_(gradient, gradient, 1.0 - beta2);
      means_[i].mul_(beta1).add_(gradient, 1.0 - beta1);
      if (samples() >= 5.0) {
        parameters_[i].addcdiv_(means_[i], squares_[i].sqrt().add_(1e-8), -rate_ * known * rectified());
      } else {
        parameters_[i].add_(means_[i], -rate_ * known);
      }
    }
    return loss;
  }

 private:
  static constexpr double beta1 = 0.9, beta2 = 0.999;
  static constexpr double most_samples = 2.0 / (1.0 - beta2) - 1.0;

  // From about how many gradients the variance is known.
  double samples() const {
    const double decayed = std::pow(beta2, count_);
    return most_samples - 2.0 * static_cast<double>(count_) * decayed / (1.0 - decayed);
  }

  double rectified() const {
    const double n = samples();
    return std::sqrt((1.0 - std::pow(beta2, count_)) * (n - 4.0) / (most_samples - 4.0) * (n - 2.0) / n * most_samples /
                     (most_samples - 2.0));
  }

  Tensors parameters_, means_, squares_;
  double rate_;
  std::int64_t count_ = 0;
};

}  // namespace tbci::suite
