#include "suite/blocks/images.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tbci::suite {

using torch::Tensor;

namespace {

Tensor cubic(const Tensor& x) {
  const Tensor a = x.abs(), squared = a.pow(2), cubed = a.pow(3);
  const Tensor near = 1.5 * cubed - 2.5 * squared + 1.0, far = -0.5 * cubed + 2.5 * squared - 4.0 * a + 2.0;
  return near * (a <= 1.0) + far * (a > 1.0).logical_and(a <= 2.0);
}

Tensor resize_along(const Tensor& images, const std::int64_t dim, const std::int64_t out) {
  const std::int64_t in = images.size(dim);
  const double scale = static_cast<double>(out) / static_cast<double>(in), widened = std::min(scale, 1.0);
  const double epsilon = std::numeric_limits<float>::epsilon(), support = 4.0 / widened;
  const Tensor centres = torch::arange(out, images.options()) / scale + static_cast<double>(in - 1) / 2 -
                         static_cast<double>(out - 1) / (2 * scale);
  const Tensor first = (centres - support / 2 - epsilon).ceil().to(torch::kLong);
  const auto count = static_cast<std::int64_t>(std::ceil(support - epsilon));
  const Tensor seen = first.unsqueeze(1) + torch::arange(count, first.options());
  Tensor weights = cubic((centres.unsqueeze(1) - seen) * widened) * widened;
  weights = weights / weights.sum(1, true);

  const auto before = -seen[0][0].item<std::int64_t>(), after = seen[-1][-1].item<std::int64_t>() - in + 1;
  const Tensor padded = torch::constant_pad_nd(images.transpose(dim, -1), {before, after}).permute({3, 0, 1, 2});
  const Tensor sum = (padded.index({seen + before}) * weights.view({out, count, 1, 1, 1})).sum(1);
  return sum.permute({1, 2, 3, 0}).transpose(dim, -1);
}

}  // namespace

Tensor resize_nearest(const Tensor& images, const std::int64_t side) {
  return images.size(3) == side ? images : torch::upsample_nearest2d(images, {side, side});
}

Tensor resize_cubic(const Tensor& images, const std::int64_t side) {
  return images.size(3) == side ? images : resize_along(resize_along(images, 2, side), 3, side);
}

Tensor gaussian_blur(const Tensor& images, const double deviation) {
  const std::int64_t channels = images.size(1);
  Tensor kernel = torch::exp(-torch::arange(-1, 2, images.options()).pow(2) / (2 * deviation * deviation));
  kernel = (kernel / kernel.sum()).view({1, 1, 1, 3}).repeat({channels, 1, 1, 1});
  const auto convolve = [channels](const Tensor& x, const Tensor& by) {
    return torch::conv2d(x, by, {}, at::IntArrayRef{1}, at::IntArrayRef{0}, at::IntArrayRef{1}, channels);
  };
  const Tensor along = convolve(torch::reflection_pad2d(images, {1, 1, 0, 0}), kernel);
  return convolve(torch::reflection_pad2d(along, {0, 0, 1, 1}), kernel.transpose(2, 3).contiguous());
}

}  // namespace tbci::suite
