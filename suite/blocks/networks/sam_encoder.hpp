// The image encoder of Segment Anything: a vision transformer that mostly looks within windows, with relative positions
// added row by row and column by column.
#pragma once

#include <memory>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite::sam {

struct EncoderShape {
  std::int64_t side;   // of the image, in pixels
  std::int64_t patch;  // likewise
  std::int64_t width, heads;
  int layers;
  std::vector<int> everywhere;  // the layers that look at the whole image
  std::int64_t window;          // patches
  std::int64_t out;
};

// A layer norm over the channels of maps, of elementary operators.
class ChannelNorm : public torch::nn::Module {
 public:
  explicit ChannelNorm(std::int64_t channels);
  torch::Tensor forward(const torch::Tensor& x);

 private:
  torch::Tensor weight_, bias_;
};

class Encoder : public torch::nn::Module {
 public:
  explicit Encoder(const EncoderShape& shape);
  ~Encoder() override;

  // [batch, 3, side, side] to [batch, out, side / patch, side / patch].
  torch::Tensor forward(const torch::Tensor& images);

 private:
  class Layer;

  torch::Tensor places_;
  torch::nn::Conv2d patches_{nullptr}, reduce_{nullptr}, smooth_{nullptr};
  std::vector<std::shared_ptr<Layer>> layers_;
  std::shared_ptr<ChannelNorm> reduced_norm_, smooth_norm_;
};

}  // namespace tbci::suite::sam
