#include "suite/blocks/chain.hpp"

#include <utility>

namespace tbci::suite {

namespace nn = torch::nn;

Chain& Chain::conv(const Conv& c) {
  return add(
      nn::Conv2d(nn::Conv2dOptions(c.in, c.out, c.kernel).stride(c.stride).padding(c.padding).bias(c.bias)).ptr());
}

Chain& Chain::conv_transposed(const Conv& c) {
  return add(nn::ConvTranspose2d(nn::ConvTranspose2dOptions(c.in, c.out, c.kernel)
                                     .stride(c.stride)
                                     .padding(c.padding)
                                     .output_padding(c.output_padding)
                                     .bias(c.bias))
                 .ptr());
}

Chain& Chain::batch_norm(const std::int64_t channels, const NormOptions& options) {
  return add(nn::BatchNorm2d(nn::BatchNorm2dOptions(channels).eps(options.eps).momentum(options.momentum)).ptr());
}

Chain& Chain::instance_norm(const std::int64_t channels) {
  return add(nn::InstanceNorm2d(channels).ptr());
}

Chain& Chain::tracked_instance_norm(const std::int64_t channels) {
  return add(nn::InstanceNorm2d(nn::InstanceNorm2dOptions(channels).affine(true).track_running_stats(true)).ptr());
}

Chain& Chain::relu() {
  return function([](torch::Tensor x) { return torch::relu_(x); });
}

Chain& Chain::leaky_relu(const double slope) {
  return function([slope](torch::Tensor x) { return torch::leaky_relu_(x, slope); });
}

Chain& Chain::tanh() {
  return function([](const torch::Tensor& x) { return x.tanh(); });
}

Chain& Chain::pad_by_reflection(const std::int64_t pixels) {
  return function([pixels](const torch::Tensor& x) {
    return torch::reflection_pad2d(x, {pixels, pixels, pixels, pixels});
  });
}

Chain& Chain::upsample_bilinear() {
  return function([](const torch::Tensor& x) {
    return torch::upsample_bilinear2d(x, {2 * x.size(2), 2 * x.size(3)}, /*align_corners=*/true);
  });
}

Chain& Chain::residual(const std::shared_ptr<Chain>& inner) {
  register_module(std::to_string(steps_.size()), inner);
  return function([inner](const torch::Tensor& x) { return x + inner->forward(x); });
}

Chain& Chain::function(Step step) {
  steps_.push_back(std::move(step));
  return *this;
}

torch::Tensor Chain::forward(torch::Tensor x) {
  for (const Step& step : steps_) x = step(x);
  return x;
}

}  // namespace tbci::suite
