// stable_diffusion_unet and stable_diffusion_text_encoder: two parts of Stable Diffusion 2 (Rombach et al.,
// High-Resolution Image Synthesis with Latent Diffusion Models, 2022), as Hugging Face's diffusers and transformers
// have them. One pass of each, as TorchBench hands them out.
#include <algorithm>
#include <cmath>
#include <limits>

#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/linear.hpp"
#include "suite/blocks/standard_workload.hpp"
#include "suite/blocks/transformer_layer.hpp"

namespace tbci::suite::models {
namespace {

namespace nn = torch::nn;
using torch::Tensor;

nn::Conv2d conv(const std::int64_t in, const std::int64_t out, const std::int64_t kernel,
                const std::int64_t stride = 1) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2));
}

nn::GroupNorm group_norm(const std::int64_t channels, const double eps = 1e-5) {
  return nn::GroupNorm(nn::GroupNormOptions(32, channels).eps(eps));
}

struct UnetShape {
  std::vector<std::int64_t> widths, heads;  // level by level
  std::int64_t text;                        // width of the text's words
  std::int64_t side;                        // of the latent image
};

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

struct Told {
  Tensor time, text;
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

class Unet : public nn::Module {
 public:
  explicit Unet(const UnetShape& s) : width_(s.widths.front()) {
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

  Tensor forward(const Tensor& latent, const Tensor& times, const Tensor& text) {
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

 private:
  Tensor angles(const Tensor& times) const {
    const std::int64_t half = width_ / 2;
    const Tensor exponent = torch::arange(half, times.options()) * (-std::log(10000.0)) / half;
    const Tensor all = times.unsqueeze(1) * torch::exp(exponent).unsqueeze(0);
    return torch::cat({torch::cos(all), torch::sin(all)}, -1);
  }

  std::int64_t width_;
  nn::Conv2d first_{nullptr}, last_{nullptr};
  OneLinear time_in_{nullptr}, time_out_{nullptr};
  std::vector<std::shared_ptr<Level>> downs_, ups_;
  std::shared_ptr<Attending> middle_;
  std::shared_ptr<Residual> middle_in_, middle_out_;
  nn::GroupNorm norm_{nullptr};
};

struct TextShape {
  std::int64_t vocabulary, width, heads;
  int layers;
};

class TextEncoder : public nn::Module {
 public:
  explicit TextEncoder(const TextShape& s) {
    words_ = register_module("token_embedding", nn::Embedding(s.vocabulary, s.width));
    places_ = register_module("position_embedding", nn::Embedding(longest, s.width));
    LayerShape layer{s.width, 4 * s.width, s.heads};
    layer.norm_first = true;
    for (int i = 0; i < s.layers; ++i) {
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<TransformerLayer>(layer)));
    }
    norm_ = register_module("final_layer_norm", nn::LayerNorm(nn::LayerNormOptions({s.width})));
    numbers_ = register_buffer("position_ids", torch::arange(longest).unsqueeze(0));
  }

  // What stands for each word, and what stands at the word that ends the text (the first where there is none).
  Tensors forward(const Tensor& words) {
    constexpr std::int64_t end = 49407;
    const std::int64_t length = words.size(1);
    Tensor x = words_->forward(words) + places_->forward(numbers_.slice(1, 0, length));
    const Tensor place = torch::arange(length, words.options());
    Tensor later = torch::full({length, length}, std::numeric_limits<float>::lowest(), x.options());
    later.masked_fill_(place < (place + 1).view({length, 1}), 0);
    const Tensor mask = later.unsqueeze(0).unsqueeze(0).expand({words.size(0), 1, length, length});
    for (const auto& layer : layers_) x = layer->forward(x, {mask});
    x = norm_->forward(x);
    const Tensor rows = torch::arange(x.size(0), words.options());
    return {x, x.index({rows, (words == end).to(torch::kInt).argmax(-1)})};
  }

 private:
  static constexpr std::int64_t longest = 77;
  nn::Embedding words_{nullptr}, places_{nullptr};
  std::vector<std::shared_ptr<TransformerLayer>> layers_;
  nn::LayerNorm norm_{nullptr};
  Tensor numbers_;
};

std::unique_ptr<Workload> make_unet(const Setup& setup) {
  const UnetShape shape = setup.size == Size::paper ? UnetShape{{320, 640, 1280, 1280}, {5, 10, 20, 20}, 1024, 128}
                                                    : UnetShape{{32, 64, 64, 64}, {1, 2, 2, 2}, 64, 16};
  auto module = std::make_shared<Unet>(shape);
  module->to(setup.device);
  const auto options = torch::TensorOptions().device(setup.device);
  const Tensor latent = torch::randn({setup.batch, 4, shape.side, shape.side}, options);
  const Tensor time = torch::ones({1}, options), text = torch::randn({setup.batch, 1, shape.text}, options);

  StandardWorkload::Parts parts;
  parts.module = module;
  parts.forward = [=] { return Tensors{module->forward(latent, time, text)}; };
  parts.inputs = {latent, time, text};
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

std::unique_ptr<Workload> make_text_encoder(const Setup& setup) {
  const bool paper = setup.size == Size::paper;
  const TextShape shape = paper ? TextShape{49408, 1024, 16, 23} : TextShape{49408, 128, 4, 23};
  auto module = std::make_shared<TextEncoder>(shape);
  module->to(setup.device);
  const Tensor words = torch::randint(32000, {setup.batch, 10}, torch::kLong).to(setup.device);

  StandardWorkload::Parts parts;
  parts.module = module;
  parts.forward = [=] { return module->forward(words); };
  parts.inputs = {words};
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

}  // namespace

std::vector<Benchmark> stable_diffusion() {
  const std::string one_pass = "one pass of this module; TorchBench's eval runs the whole pipeline of three";
  Benchmark unet{"stable_diffusion_unet",
                 "computer vision",
                 "image generation",
                 "Hugging Face diffusers",
                 865910724,
                 {1, 1},
                 {1, 1},
                 make_unet,
                 one_pass,
                 {false, true}};
  Benchmark text{"stable_diffusion_text_encoder",
                 "computer vision",
                 "image generation",
                 "Hugging Face transformers",
                 340387840,
                 {1, 1},
                 {1, 8},
                 make_text_encoder,
                 one_pass,
                 {false, true}};
  unet.listed = text.listed = Listed::later;
  return {unet, text};
}

}  // namespace tbci::suite::models
