#include "suite/blocks/networks/stable_diffusion_unet.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "suite/blocks/dot_product_attention.hpp"

namespace tbci::suite::stable_diffusion {

namespace nn = torch::nn;
using torch::Tensor;

namespace {

nn::Conv2d conv(const std::int64_t in, const std::int64_t out, const std::int64_t kernel,
                const std::int64_t stride = 1) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2));
}

nn::GroupNorm group_norm(const std::int64_t channels, const double eps = 1e-5) {
  return nn::GroupNorm(nn::GroupNormOptions(32, channels).eps(eps));
}

class LookAt : public nn::Module {
 public:
  LookAt(const std::int64_t width, const std::int64_t at, const std::int64_t heads) : heads_(heads) {
    query_ = register_module("to_q", OneLinear(nn::LinearOptions(width, width).bias(false)));
    key_ = register_module("to_k", OneLinear(nn::LinearOptions(at, width).bias(false)));
    value_ = register_module("to_v", OneLinear(nn::LinearOptions(at, width).bias(false)));
    out_ = register_module("to_out", OneLinear(width, width));
  }

  Tensor forward(const Tensor& x, const Tensor& at) {
    Attention attention;
    attention.query = split_heads(query_->forward(x), heads_);
    attention.key = split_heads(key_->forward(at), heads_);
    attention.value = split_heads(value_->forward(at), heads_);
    return out_->forward(join_heads(attend(attention))) / 1.0;
  }

 private:
  std::int64_t heads_;
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr}, out_{nullptr};
};

struct Told {
  Tensor time, text;
};

}  // namespace

class Residual : public nn::Module {
 public:
  Residual(const std::int64_t in, const std::int64_t out, const std::int64_t time) {
    norm_in_ = register_module("norm1", group_norm(in));
    first_ = register_module("conv1", conv(in, out, 3));
    time_ = register_module("time_emb_proj", OneLinear(time, out));
    norm_out_ = register_module("norm2", group_norm(out));
    second_ = register_module("conv2", conv(out, out, 3));
    if (in != out) shortcut_ = register_module("conv_shortcut", conv(in, out, 1));
  }

  Tensor forward(const Tensor& x, const Tensor& time) {
    Tensor h = first_->forward(torch::silu(norm_in_->forward(x)));
    h = h + time_->forward(torch::silu(time)).unsqueeze(2).unsqueeze(3);
    h = second_->forward(torch::silu(norm_out_->forward(h)));
    return ((shortcut_.is_empty() ? x : shortcut_->forward(x)) + h) / 1.0;
  }

 private:
  nn::GroupNorm norm_in_{nullptr}, norm_out_{nullptr};
  nn::Conv2d first_{nullptr}, second_{nullptr}, shortcut_{nullptr};
  OneLinear time_{nullptr};
};

// A transformer layer on the pixels of a map, which looks at itself and at the text.
class Attending : public nn::Module {
 public:
  Attending(const std::int64_t width, const std::int64_t heads, const std::int64_t text) {
    const nn::LayerNormOptions norm({width});
    norm_ = register_module("norm", group_norm(width, 1e-6));
    in_ = register_module("proj_in", OneLinear(width, width));
    self_norm_ = register_module("norm1", nn::LayerNorm(norm));
    self_ = register_module("attn1", std::make_shared<LookAt>(width, width, heads));
    text_norm_ = register_module("norm2", nn::LayerNorm(norm));
    text_ = register_module("attn2", std::make_shared<LookAt>(width, text, heads));
    gate_norm_ = register_module("norm3", nn::LayerNorm(norm));
    gate_ = register_module("ff_in", OneLinear(width, 8 * width));
    narrow_ = register_module("ff_out", OneLinear(4 * width, width));
    out_ = register_module("proj_out", OneLinear(width, width));
  }

  Tensor forward(const Tensor& map, const Tensor& text) {
    const std::int64_t batch = map.size(0), width = map.size(1), rows = map.size(2), columns = map.size(3);
    Tensor x = norm_->forward(map).permute({0, 2, 3, 1}).reshape({batch, rows * columns, width});
    x = in_->forward(x);
    const Tensor normed = self_norm_->forward(x);
    x = self_->forward(normed, normed) + x;
    x = text_->forward(text_norm_->forward(x), text) + x;
    const std::vector<Tensor> halves = gate_->forward(gate_norm_->forward(x)).chunk(2, -1);
    x = narrow_->forward(halves[0] * torch::gelu(halves[1])) + x;
    return out_->forward(x).reshape({batch, rows, columns, width}).permute({0, 3, 1, 2}).contiguous() + map;
  }

 private:
  nn::GroupNorm norm_{nullptr};
  nn::LayerNorm self_norm_{nullptr}, text_norm_{nullptr}, gate_norm_{nullptr};
  OneLinear in_{nullptr}, gate_{nullptr}, narrow_{nullptr}, out_{nullptr};
  std::shared_ptr<LookAt> self_, text_;
};

// Residual blocks, each with attention after it but in the deepest level; then a change of the resolution.
class Level : public nn::Module {
 public:
  struct Options {
    std::vector<std::int64_t> in;  // of each block
    std::int64_t width, heads, text, time;
    bool attends;
  };

  explicit Level(const Options& o) {
    for (std::size_t i = 0; o.attends && i < o.in.size(); ++i) {
      auto attention = std::make_shared<Attending>(o.width, o.heads, o.text);
      attentions_.push_back(register_module("attention" + std::to_string(i), attention));
    }
    for (const std::int64_t in : o.in) {
      auto block = std::make_shared<Residual>(in, o.width, o.time);
      blocks_.push_back(register_module("resnet" + std::to_string(blocks_.size()), block));
    }
  }

  void resize_by(nn::Conv2d layer) { resize_ = register_module("resize", layer); }

  Tensor step(const std::size_t i, const Tensor& x, const Told& told) {
    const Tensor h = blocks_[i]->forward(x, told.time);
    return attentions_.empty() ? h : attentions_[i]->forward(h, told.text);
  }

  std::size_t size() const { return blocks_.size(); }
  bool resizes() const { return !resize_.is_empty(); }
  Tensor resized(const Tensor& x) { return resize_->forward(x); }

 private:
  std::vector<std::shared_ptr<Attending>> attentions_;
  std::vector<std::shared_ptr<Residual>> blocks_;
  nn::Conv2d resize_{nullptr};
};

Unet::Unet(const UnetShape& s) : width_(s.widths.front()) {
  const std::int64_t time = 4 * width_;
  const std::size_t levels = s.widths.size();
  first_ = register_module("conv_in", conv(4, width_, 3));
  time_in_ = register_module("time_in", OneLinear(width_, time));
  time_out_ = register_module("time_out", OneLinear(time, time));
  const auto add = [&](const std::string& name, const std::vector<std::int64_t>& in, std::size_t i, bool attends) {
    const Level::Options options{in, s.widths[i], s.heads[i], s.text, time, attends};
    return register_module(name, std::make_shared<Level>(options));
  };
  for (std::size_t i = 0; i < levels; ++i) {
    const std::int64_t out = s.widths[i], in = i == 0 ? out : s.widths[i - 1];
    downs_.push_back(add("down" + std::to_string(i), {in, out}, i, i + 1 < levels));
    if (i + 1 < levels) downs_.back()->resize_by(conv(out, out, 3, 2));
  }
  for (std::size_t i = levels; i-- > 0;) {
    const std::int64_t out = s.widths[i], below = s.widths[std::min(i + 1, levels - 1)];
    const std::int64_t skipped_last = i == 0 ? out : s.widths[i - 1];
    ups_.push_back(add("up" + std::to_string(i), {below + out, 2 * out, out + skipped_last}, i, i + 1 < levels));
    if (i > 0) ups_.back()->resize_by(conv(out, out, 3));
  }
  const std::int64_t deepest = s.widths.back();
  middle_ = register_module("mid_attention", std::make_shared<Attending>(deepest, s.heads.back(), s.text));
  middle_in_ = register_module("mid_in", std::make_shared<Residual>(deepest, deepest, time));
  middle_out_ = register_module("mid_out", std::make_shared<Residual>(deepest, deepest, time));
  norm_ = register_module("conv_norm_out", group_norm(width_));
  last_ = register_module("conv_out", conv(width_, 4, 3));
}

Tensor Unet::forward(const Tensor& latent, const Tensor& times, const Tensor& text) {
  const Told told{time_out_->forward(torch::silu(time_in_->forward(angles(times.expand(latent.size(0)))))), text};
  Tensor x = first_->forward(latent);
  std::vector<Tensor> skipped{x};
  for (const auto& down : downs_) {
    for (std::size_t i = 0; i < down->size(); ++i) skipped.push_back(x = down->step(i, x, told));
    if (down->resizes()) skipped.push_back(x = down->resized(x));
  }
  x = middle_in_->forward(x, told.time);
  x = middle_out_->forward(middle_->forward(x, told.text), told.time);
  for (const auto& up : ups_) {
    for (std::size_t i = 0; i < up->size(); ++i) {
      x = up->step(i, torch::cat({x, skipped.back()}, 1), told);
      skipped.pop_back();
    }
    if (up->resizes()) x = up->resized(torch::upsample_nearest2d(x, {2 * x.size(2), 2 * x.size(3)}));
  }
  return last_->forward(torch::silu(norm_->forward(x)));
}

Tensor Unet::angles(const Tensor& times) const {
  const std::int64_t half = width_ / 2;
  const Tensor exponent = torch::arange(half, times.options()) * (-std::log(10000.0)) / half;
  const Tensor all = times.unsqueeze(1) * torch::exp(exponent).unsqueeze(0);
  return torch::cat({torch::cos(all), torch::sin(all)}, -1);
}

}  // namespace tbci::suite::stable_diffusion
