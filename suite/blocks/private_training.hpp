// Differentially private training (Abadi et al., Deep Learning with Differential Privacy, 2016): the gradient of each
// sample is clipped, their sum gets noise. The network is ResNet-18 with group norms, since a batch norm mixes samples.
#pragma once

#include "suite/benchmark.hpp"

namespace tbci::suite {

struct PrivateShape {
  std::int64_t width;    // channels of the first stage; 64
  std::int64_t classes;  // outputs; the labels are from 0 to 9
};

// How the network calls its layers: as usual, or in a way that gives the gradient of each sample.
class LayerCalls {
 public:
  LayerCalls() = default;
  virtual ~LayerCalls() = default;
  LayerCalls(const LayerCalls&) = delete;
  LayerCalls& operator=(const LayerCalls&) = delete;

  virtual torch::Tensor convolution(const torch::Tensor& x, torch::nn::Conv2d& layer) { return layer->forward(x); }
  virtual torch::Tensor group_norm(const torch::Tensor& x, torch::nn::GroupNorm& layer) { return layer->forward(x); }
  virtual torch::Tensor linear(const torch::Tensor& x, torch::nn::Linear& layer) { return layer->forward(x); }
};

class GroupNormResNet : public torch::nn::Module {
 public:
  explicit GroupNormResNet(const PrivateShape& shape);
  torch::Tensor forward(const torch::Tensor& images, LayerCalls& calls);

 private:
  struct Norm {
    torch::nn::Conv2d convolution{nullptr};
    torch::nn::GroupNorm norm{nullptr};
    torch::Tensor forward(const torch::Tensor& x, LayerCalls& calls);
  };
  struct Block {
    Norm first, second, downsample;  // no downsample where the block keeps the shape
    torch::Tensor forward(const torch::Tensor& x, LayerCalls& calls);
  };

  Norm stem_;
  std::vector<Block> blocks_;
  torch::nn::Linear head_{nullptr};
};

// The mean loss, and for each parameter the gradients of all samples' losses [samples, ...].
struct SampleGradients {
  torch::Tensor loss;
  Tensors gradients;
};

using GradientsOfSamples = SampleGradients (*)(GroupNormResNet& network, const torch::Tensor& images,
                                               const torch::Tensor& labels);

struct Privacy {
  double largest_norm = 1.0;  // of one sample's gradient
  double noise = 1.0;         // standard deviation, times that norm
};

// The mean over the samples of their clipped gradients, with noise.
Tensors private_gradients(const Tensors& of_samples, const Privacy& privacy);

std::unique_ptr<Workload> private_workload(const Setup& setup, const PrivateShape& shape, GradientsOfSamples gradients);

}  // namespace tbci::suite
