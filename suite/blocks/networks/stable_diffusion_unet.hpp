// The denoiser of Rombach et al., High-Resolution Image Synthesis with Latent Diffusion Models (2022): Stable
// Diffusion 2's, as Hugging Face's diffusers has it. A U of residual blocks that know the time, and of attention to the
// text.
#pragma once

#include <memory>
#include <vector>

#include "suite/blocks/linear.hpp"

namespace tbci::suite::stable_diffusion {

struct UnetShape {
  std::vector<std::int64_t> widths, heads;  // level by level
  std::int64_t text;                        // width of the text's words
  std::int64_t side;                        // of the latent image
};

class Residual;
class Attending;
class Level;

class Unet : public torch::nn::Module {
 public:
  explicit Unet(const UnetShape& shape);

  // The noise in the latent image [batch, 4, side, side] at these times [1] with this text [batch, words, text].
  torch::Tensor forward(const torch::Tensor& latent, const torch::Tensor& times, const torch::Tensor& text);

 private:
  torch::Tensor angles(const torch::Tensor& times) const;

  std::int64_t width_;
  torch::nn::Conv2d first_{nullptr}, last_{nullptr};
  OneLinear time_in_{nullptr}, time_out_{nullptr};
  std::vector<std::shared_ptr<Level>> downs_, ups_;
  std::shared_ptr<Attending> middle_;
  std::shared_ptr<Residual> middle_in_, middle_out_;
  torch::nn::GroupNorm norm_{nullptr};
};

}  // namespace tbci::suite::stable_diffusion
