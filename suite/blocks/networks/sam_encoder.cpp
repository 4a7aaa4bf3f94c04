#include "suite/blocks/networks/sam_encoder.hpp"
#include "suite/blocks/linear.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace tbci::suite::sam {

namespace nn = torch::nn;
using torch::Tensor;

namespace {

nn::LayerNorm layer_norm(const std::int64_t width) {
  return nn::LayerNorm(nn::LayerNormOptions({width}).eps(1e-6));
}

Tensor small_random(const std::vector<std::int64_t>& shape) {
  return 0.02 * torch::randn(shape);
}

// For each pair of places the embedding of how far they are apart.
Tensor by_distance(const Tensor& embeddings, const std::int64_t length) {
  const Tensor place = torch::arange(length, torch::TensorOptions().device(embeddings.device()));
  return embeddings.index({place.unsqueeze(1) - place.unsqueeze(0) + (length - 1)});
}

// Attention of maps [batch, rows, columns, width].
class MapAttention : public nn::Module {
 public:
  MapAttention(const std::int64_t width, const std::int64_t heads, const std::int64_t side)
      : heads_(heads), scale_(std::pow(static_cast<double>(width / heads), -0.5)) {
    rows_ = register_parameter("rel_pos_h", small_random({2 * side - 1, width / heads}));
    columns_ = register_parameter("rel_pos_w", small_random({2 * side - 1, width / heads}));
    all_ = register_module("qkv", OneLinear(width, 3 * width));
    out_ = register_module("proj", OneLinear(width, width));
  }

  Tensor forward(const Tensor& x) {
    const std::int64_t batch = x.size(0), rows = x.size(1), columns = x.size(2), places = rows * columns;
    const Tensor all = all_->forward(x).reshape({batch, places, 3, heads_, -1}).permute({2, 0, 3, 1, 4});
    const std::vector<Tensor> parts = all.reshape({3, batch * heads_, places, -1}).unbind(0);
    const Tensor& query = parts[0];
    Tensor scores = torch::matmul(query * scale_, parts[1].transpose(-2, -1));

    const Tensor map = query.reshape({batch * heads_, rows, columns, -1});
    const Tensor of_rows = torch::einsum("bhwc,hkc->bhwk", {map, by_distance(rows_, rows)});
    const Tensor of_columns = torch::einsum("bhwc,wkc->bhwk", {map, by_distance(columns_, columns)});
    scores =
        scores.view({batch * heads_, rows, columns, rows, columns}) + of_rows.unsqueeze(4) + of_columns.unsqueeze(3);
    scores = scores.view({batch * heads_, places, places}).softmax(-1);
    const Tensor mixed = torch::matmul(scores, parts[2]).view({batch, heads_, rows, columns, -1});
    return out_->forward(mixed.permute({0, 2, 3, 1, 4}).reshape({batch, rows, columns, -1}));
  }

 private:
  std::int64_t heads_;
  double scale_;
  Tensor rows_, columns_;
  OneLinear all_{nullptr}, out_{nullptr};
};

// The map in windows, filled up where they do not fit, and back.
class Windows {
 public:
  Windows(const Tensor& map, const std::int64_t side)
      : side_(side), rows_(map.size(1)), columns_(map.size(2)), down_(up(rows_)), across_(up(columns_)) {}

  Tensor cut(Tensor x) const {
    const std::int64_t batch = x.size(0), width = x.size(3);
    if (down_ * side_ > rows_ || across_ * side_ > columns_) {
      x = torch::constant_pad_nd(x, {0, 0, 0, across_ * side_ - columns_, 0, down_ * side_ - rows_});
    }
    x = x.view({batch, down_, side_, across_, side_, width}).permute({0, 1, 3, 2, 4, 5}).contiguous();
    return x.view({-1, side_, side_, width});
  }

  Tensor joined(Tensor x) const {
    const std::int64_t batch = x.size(0) / (down_ * across_), width = x.size(3);
    x = x.view({batch, down_, across_, side_, side_, width}).permute({0, 1, 3, 2, 4, 5}).contiguous();
    x = x.view({batch, down_ * side_, across_ * side_, width});
    return x.slice(1, 0, rows_).slice(2, 0, columns_).contiguous();
  }

 private:
  std::int64_t up(const std::int64_t length) const { return (length + side_ - 1) / side_; }

  std::int64_t side_, rows_, columns_;
  std::int64_t down_, across_;  // windows
};

}  // namespace

ChannelNorm::ChannelNorm(const std::int64_t channels)
    : weight_(register_parameter("weight", torch::ones({channels}))),
      bias_(register_parameter("bias", torch::zeros({channels}))) {}

Tensor ChannelNorm::forward(const Tensor& x) {
  const Tensor centred = x - x.mean(1, true);
  const Tensor normed = centred / torch::sqrt(centred.pow(2).mean(1, true) + 1e-6);
  return weight_.view({-1, 1, 1}) * normed + bias_.view({-1, 1, 1});
}

class Encoder::Layer : public nn::Module {
 public:
  Layer(const EncoderShape& s, const bool everywhere) : window_(everywhere ? 0 : s.window) {
    norm_in_ = register_module("norm1", layer_norm(s.width));
    attention_ = register_module(
        "attn", std::make_shared<MapAttention>(s.width, s.heads, everywhere ? s.side / s.patch : s.window));
    norm_out_ = register_module("norm2", layer_norm(s.width));
    widen_ = register_module("lin1", OneLinear(s.width, 4 * s.width));
    narrow_ = register_module("lin2", OneLinear(4 * s.width, s.width));
  }

  Tensor forward(const Tensor& input) {
    Tensor x = norm_in_->forward(input);
    if (window_ > 0) {
      const Windows windows(x, window_);
      x = windows.joined(attention_->forward(windows.cut(x)));
    } else {
      x = attention_->forward(x);
    }
    x = input + x;
    return x + narrow_->forward(torch::gelu(widen_->forward(norm_out_->forward(x))));
  }

 private:
  std::int64_t window_;  // 0: none
  nn::LayerNorm norm_in_{nullptr}, norm_out_{nullptr};
  std::shared_ptr<MapAttention> attention_;
  OneLinear widen_{nullptr}, narrow_{nullptr};
};

Encoder::~Encoder() = default;

Encoder::Encoder(const EncoderShape& s) {
  const std::int64_t patches = s.side / s.patch;
  places_ = register_parameter("pos_embed", small_random({1, patches, patches, s.width}));
  patches_ = register_module("patch_embed", nn::Conv2d(nn::Conv2dOptions(3, s.width, s.patch).stride(s.patch)));
  for (int i = 0; i < s.layers; ++i) {
    const bool everywhere = std::find(s.everywhere.begin(), s.everywhere.end(), i) != s.everywhere.end();
    layers_.push_back(register_module("block" + std::to_string(i), std::make_shared<Layer>(s, everywhere)));
  }
  reduce_ = register_module("neck0", nn::Conv2d(nn::Conv2dOptions(s.width, s.out, 1).bias(false)));
  reduced_norm_ = register_module("neck1", std::make_shared<ChannelNorm>(s.out));
  smooth_ = register_module("neck2", nn::Conv2d(nn::Conv2dOptions(s.out, s.out, 3).padding(1).bias(false)));
  smooth_norm_ = register_module("neck3", std::make_shared<ChannelNorm>(s.out));
}

Tensor Encoder::forward(const Tensor& images) {
  Tensor x = patches_->forward(images).permute({0, 2, 3, 1}) + places_;
  for (const auto& layer : layers_) x = layer->forward(x);
  x = reduced_norm_->forward(reduce_->forward(x.permute({0, 3, 1, 2})));
  return smooth_norm_->forward(smooth_->forward(x));
}

}  // namespace tbci::suite::sam
