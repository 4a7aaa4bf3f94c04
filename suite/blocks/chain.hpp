// A chain of layers, written in the order in which data passes through it: `chain->conv({...}).batch_norm(64).relu()`.
// Cheaper to compile than torch::nn::Sequential, and its layers take options by name.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite {

struct Conv {
  std::int64_t in;
  std::int64_t out;
  std::int64_t kernel;
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  bool bias = true;
  std::int64_t output_padding = 0;  // of transposed ones
};

struct NormOptions {
  double eps = 1e-5;
  double momentum = 0.1;
};

class Chain : public torch::nn::Module {
 public:
  using Step = std::function<torch::Tensor(const torch::Tensor&)>;

  Chain& conv(const Conv& options);
  Chain& conv_transposed(const Conv& options);
  Chain& batch_norm(std::int64_t channels, const NormOptions& options = {});
  Chain& instance_norm(std::int64_t channels);          // without weights
  Chain& tracked_instance_norm(std::int64_t channels);  // with weights and running statistics
  Chain& relu();                                        // in place, as the next one
  Chain& leaky_relu(double slope);
  Chain& tanh();
  Chain& pad_by_reflection(std::int64_t pixels);
  Chain& upsample_bilinear();                            // to twice the size, corners aligned
  Chain& residual(const std::shared_ptr<Chain>& inner);  // x + inner(x)
  Chain& function(Step step);

  // Any module with `Tensor forward(Tensor)`.
  template <class Module>
  Chain& add(std::shared_ptr<Module> module) {
    register_module(std::to_string(steps_.size()), module);
    return function([module](const torch::Tensor& x) { return module->forward(x); });
  }

  torch::Tensor forward(torch::Tensor x);

 private:
  std::vector<Step> steps_;
};

inline std::shared_ptr<Chain> chain() {
  return std::make_shared<Chain>();
}

}  // namespace tbci::suite
