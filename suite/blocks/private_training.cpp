#include "suite/blocks/private_training.hpp"

#include <algorithm>

#include "suite/blocks/classifier.hpp"
#include "suite/blocks/network_workload.hpp"
#include "suite/blocks/optimizers.hpp"

namespace tbci::suite {

namespace nn = torch::nn;

torch::Tensor GroupNormResNet::Norm::forward(const torch::Tensor& x, LayerCalls& calls) {
  return calls.group_norm(calls.convolution(x, convolution), norm);
}

torch::Tensor GroupNormResNet::Block::forward(const torch::Tensor& x, LayerCalls& calls) {
  torch::Tensor y = first.forward(x, calls).relu_();
  y = second.forward(y, calls);
  y += downsample.norm.is_empty() ? x : downsample.forward(x, calls);
  return y.relu_();
}

GroupNormResNet::GroupNormResNet(const PrivateShape& shape) {
  const auto normed = [](nn::Module& owner, const std::string& name, const std::string& norm, const Convolution& c) {
    return Norm{owner.register_module(name, convolution(c)),
                owner.register_module(norm, nn::GroupNorm(std::min<std::int64_t>(c.out, 32), c.out))};
  };
  stem_ = normed(*this, "conv1", "bn1", {3, shape.width, 7, 2});
  std::int64_t channels = shape.width;
  for (int stage = 0; stage < 4; ++stage) {
    const std::int64_t width = shape.width << stage;
    for (int i = 0; i < 2; ++i) {
      const std::int64_t stride = stage > 0 && i == 0 ? 2 : 1;
      auto& owner = *register_module("layer" + std::to_string(stage + 1) + "_" + std::to_string(i),
                                     std::make_shared<nn::Module>("block"));
      Block block{normed(owner, "conv1", "bn1", {channels, width, 3, stride}),
                  normed(owner, "conv2", "bn2", {width, width, 3}), Norm{}};
      if (stride != 1) block.downsample = normed(owner, "downsample_0", "downsample_1", {channels, width, 1, stride});
      blocks_.push_back(block);
      channels = width;
    }
  }
  head_ = register_module("fc", nn::Linear(channels, shape.classes));
}

torch::Tensor GroupNormResNet::forward(const torch::Tensor& images, LayerCalls& calls) {
  torch::Tensor x = stem_.forward(images, calls).relu_();
  x = torch::max_pool2d(x, 3, 2, 1);
  for (Block& block : blocks_) x = block.forward(x, calls);
  return calls.linear(torch::adaptive_avg_pool2d(x, {1, 1}).flatten(1), head_);
}

Tensors private_gradients(const Tensors& of_samples, const Privacy& privacy) {
  const std::int64_t samples = of_samples.front().size(0);
  const std::vector<std::int64_t> parameters{0}, numbers{1};
  Tensors norms;
  for (const torch::Tensor& gradient : of_samples) {
    norms.push_back(at::linalg_vector_norm(gradient.reshape({samples, -1}), 2, numbers));
  }
  const torch::Tensor norm = at::linalg_vector_norm(torch::stack(norms), 2, parameters);
  const torch::Tensor factor = ((norm + 1e-6).reciprocal() * privacy.largest_norm).clamp({}, 1.0);

  Tensors means;
  for (const torch::Tensor& gradient : of_samples) {
    const torch::Tensor sum = torch::einsum("i,i...->...", {factor, gradient});
    const torch::Tensor noise =
        torch::normal(0.0, privacy.noise * privacy.largest_norm, sum.sizes(), {}, sum.options());
    means.push_back((noise + sum) / static_cast<double>(samples));
  }
  return means;
}

namespace {

class PrivateWorkload final : public NetworkWorkload<GroupNormResNet> {
 public:
  PrivateWorkload(const Setup& setup, const PrivateShape& shape, GradientsOfSamples gradients)
      : NetworkWorkload(setup, std::make_shared<GroupNormResNet>(shape)), gradients_(gradients) {
    const auto on_device = torch::TensorOptions().device(setup.device);
    images_ = torch::randn({setup.batch, 3, 32, 32}, on_device);
    labels_ = torch::randint(10, {setup.batch}, on_device.dtype(torch::kLong));
    if (training()) optimizer_ = adam(parameters(), 1e-3);
  }

  Tensors inputs() const override { return {images_}; }

 private:
  Tensors train() override {
    zero_gradients(*optimizer_);
    const SampleGradients of_samples = gradients_(network(), images_, labels_);
    {
      const torch::NoGradGuard no_gradients;
      const Tensors clipped = private_gradients(of_samples.gradients, {});
      Tensors all = parameters();
      for (std::size_t i = 0; i < all.size(); ++i) all[i].mutable_grad() = clipped[i];
    }
    take_step(*optimizer_);
    return {of_samples.loss};
  }

  Tensors infer() override {
    LayerCalls plain;
    return {network().forward(images_, plain)};
  }

  GradientsOfSamples gradients_;
  torch::Tensor images_, labels_;
  std::unique_ptr<torch::optim::Optimizer> optimizer_;  // in training only
};

}  // namespace

std::unique_ptr<Workload> private_workload(const Setup& setup, const PrivateShape& shape,
                                           GradientsOfSamples gradients) {
  return std::make_unique<PrivateWorkload>(setup, shape, gradients);
}

}  // namespace tbci::suite
