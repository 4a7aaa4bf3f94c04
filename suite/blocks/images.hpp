// Ways to resize and blur images [batch, channels, side, side].
#pragma once

#include <torch/torch.h>

namespace tbci::suite {

torch::Tensor resize_nearest(const torch::Tensor& images, std::int64_t side);

// Cubic; for smaller images the kernel is wider, against aliasing. Like Shocher's ResizeRight: each pixel is the
// weighted sum of the pixels in its field of view, and pixels outside the image are 0.
torch::Tensor resize_cubic(const torch::Tensor& images, std::int64_t side);

// With a kernel of three pixels each way.
torch::Tensor gaussian_blur(const torch::Tensor& images, double deviation);

}  // namespace tbci::suite
