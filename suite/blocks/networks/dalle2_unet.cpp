#include "suite/blocks/networks/dalle2_unet.hpp"
#include "suite/blocks/linear.hpp"

#include <cmath>
#include <string>

namespace tbci::suite::dalle2 {

namespace nn = torch::nn;

namespace {

constexpr std::int64_t image_token_count = 4, time_token_count = 2;

nn::Conv2d conv(const std::int64_t in, const std::int64_t out, const std::int64_t kernel) {
  return nn::Conv2d(nn::Conv2dOptions(in, out, kernel).padding(kernel / 2));
}

// [batch, channels, height, width] to [batch, places, channels].
Tensor as_sequence(const Tensor& x) {
  return x.permute({0, 2, 3, 1}).flatten(1, 2);
}

Tensor as_map(const Tensor& sequence, const Tensor& like) {
  return sequence.view({like.size(0), like.size(2), like.size(3), -1}).permute({0, 3, 1, 2});
}

// The map looks at the conditions; each head has keys and values of its own, the first of them learned and always
// there.
class CrossAttention : public nn::Module {
 public:
  CrossAttention(const std::int64_t width, const std::int64_t condition) {
    always_ = register_parameter("null_kv", torch::randn({2, head_width}));
    norm_ = register_module("norm", std::make_shared<GainNorm>(width));
    query_ = register_module("to_q", linear(width, heads * head_width, false));
    key_value_ = register_module("to_kv", linear(condition, 2 * heads * head_width, false));
    out_ = register_module("to_out", linear(heads * head_width, width, false));
    norm_out_ = register_module("norm_out", std::make_shared<GainNorm>(width));
  }

  Tensor forward(const Tensor& x, const Tensor& conditions) {
    const double half_scale = std::pow(static_cast<double>(head_width), -0.25);
    const auto split = [](const Tensor& all) { return all.unflatten(-1, {heads, head_width}).transpose(1, 2); };
    const Tensor query = split(query_->forward(norm_->forward(x)));
    const std::vector<Tensor> both = key_value_->forward(conditions).chunk(2, -1);
    const auto with_first = [&](const std::int64_t which) {
      const Tensor first = always_[which].view({1, 1, 1, -1}).expand({x.size(0), heads, 1, -1});
      return torch::cat({first, split(both[static_cast<std::size_t>(which)])}, -2);
    };
    const Tensor scores = torch::einsum("bhid,bhjd->bhij", {query * half_scale, with_first(0) * half_scale});
    const Tensor mixed = torch::einsum("bhij,bhjd->bhid", {scores.softmax(-1), with_first(1)});
    return norm_out_->forward(out_->forward(mixed.transpose(1, 2).flatten(2)));
  }

 private:
  static constexpr std::int64_t heads = 8, head_width = 64;
  Tensor always_;
  std::shared_ptr<GainNorm> norm_, norm_out_;
  OneLinear query_{nullptr}, key_value_{nullptr}, out_{nullptr};
};

// To half the size: what four pixels have becomes channels.
Tensor unshuffled(const Tensor& x) {
  const std::int64_t batch = x.size(0), channels = x.size(1), rows = x.size(2) / 2, columns = x.size(3) / 2;
  return x.view({batch, channels, rows, 2, columns, 2})
      .permute({0, 1, 3, 5, 2, 4})
      .reshape({batch, 4 * channels, rows, columns});
}

// The four pixels that come from one start the same.
nn::Conv2d shuffled_conv(const std::int64_t in, const std::int64_t out) {
  nn::Conv2d layer = conv(in, 4 * out, 1);
  const torch::NoGradGuard no_gradients;
  Tensor one = torch::empty({out, in, 1, 1});
  nn::init::kaiming_uniform_(one);
  layer->weight.copy_(one.repeat_interleave(4, 0));
  nn::init::zeros_(layer->bias);
  return layer;
}

}  // namespace

class Unet::Block : public nn::Module {
 public:
  Block(const std::int64_t in, const std::int64_t out, const std::int64_t time, const std::int64_t condition) {
    time_ = register_module("time_mlp", linear(time, 2 * out));
    if (condition > 0) attention_ = register_module("cross_attn", std::make_shared<CrossAttention>(out, condition));
    first_ = register_module("project1", conv(in, out, 3));
    first_norm_ = register_module("norm1", nn::GroupNorm(nn::GroupNormOptions(8, out)));
    second_ = register_module("project2", conv(out, out, 3));
    second_norm_ = register_module("norm2", nn::GroupNorm(nn::GroupNormOptions(8, out)));
    if (in != out) shortcut_ = register_module("res_conv", conv(in, out, 1));
  }

  Tensor forward(const Tensor& x, const Tensor& time, const Tensor& conditions) {
    const Tensor change = time_->forward(torch::silu(time)).unsqueeze(2).unsqueeze(3);
    const std::vector<Tensor> scale_shift = change.chunk(2, 1);
    Tensor h = first_norm_->forward(first_->forward(x));
    h = torch::silu(h * (scale_shift[0] + 1) + scale_shift[1]);
    if (attention_) {
      const Tensor sequence = as_sequence(h);
      h = as_map(attention_->forward(sequence, conditions) + sequence, h);
    }
    h = torch::silu(second_norm_->forward(second_->forward(h)));
    return h + (shortcut_.is_empty() ? x : shortcut_->forward(x));
  }

 private:
  OneLinear time_{nullptr};
  std::shared_ptr<CrossAttention> attention_;
  nn::Conv2d first_{nullptr}, second_{nullptr}, shortcut_{nullptr};
  nn::GroupNorm first_norm_{nullptr}, second_norm_{nullptr};
};

struct Unet::Down {
  std::vector<std::shared_ptr<Block>> blocks;
  nn::Conv2d smaller;  // the last one keeps the size
  bool halves;
};

struct Unet::Up {
  std::vector<std::shared_ptr<Block>> blocks;
  nn::Conv2d larger;  // empty in the last one
};

// The extra inputs of blocks: the time, and the conditions, more of them in the middle.
struct Unet::Known {
  Tensor time, conditions, in_the_middle;
};

Unet::~Unet() = default;

Unet::Unet(const UnetShape& shape) : shape_(shape) {
  const std::int64_t w = shape.width, channels = shape.first ? 3 : 6;
  no_image_tokens_ = register_parameter("null_image_embed", torch::randn({1, image_token_count, shape.condition}));
  no_image_ = register_parameter("null_image_hiddens", torch::randn({1, 4 * w}));
  no_words_ = register_parameter("null_text_embed", torch::randn({1, shape.words, shape.condition}));
  const std::int64_t kernels[] = {3, 7, 15}, outs[] = {w / 2, w / 4, w - w / 2 - w / 4};
  for (std::size_t i = 0; i < 3; ++i) {
    first_.push_back(register_module("init_conv" + std::to_string(i), conv(channels, outs[i], kernels[i])));
  }
  add_conditions();
  add_levels();
}

void Unet::add_conditions() {
  const std::int64_t time = 4 * shape_.width, c = shape_.condition;
  time_in_ = register_module("to_time_hiddens", linear(shape_.width, time));
  time_tokens_ = register_module("to_time_tokens", linear(time, c * time_token_count));
  time_ = register_module("to_time_cond", linear(time, time));
  if (shape_.first) {
    image_tokens_ = register_module("image_to_tokens", linear(shape_.text, c * image_token_count));
    image_ = register_module("to_image_hiddens", linear(shape_.text, time));
  }
  norm_ = register_module("norm_cond", nn::LayerNorm(nn::LayerNormOptions({c})));
  middle_norm_ = register_module("norm_mid_cond", nn::LayerNorm(nn::LayerNormOptions({c})));
  if (shape_.first) text_ = register_module("text_to_cond", linear(shape_.text, c));
}

std::shared_ptr<Unet::Block> Unet::block(const char* kind, const std::int64_t in, const std::int64_t out,
                                         const bool attends) {
  auto made = std::make_shared<Block>(in, out, 4 * shape_.width, attends ? shape_.condition : 0);
  return register_module(kind + std::to_string(blocks_++), made);
}

void Unet::add_levels() {
  std::vector<std::int64_t> widths{shape_.width};
  for (const std::int64_t factor : shape_.factors) widths.push_back(factor * shape_.width);
  const std::size_t levels = shape_.factors.size();
  const auto name = [this](const char* kind) { return kind + std::to_string(blocks_); };

  for (std::size_t i = 0; i < levels; ++i) {
    const std::int64_t in = widths[i], out = widths[i + 1];
    const bool last = i + 1 == levels;
    Down down{{block("down", in, in, false)}, nullptr, !last};
    for (int k = 0; k < 2; ++k) down.blocks.push_back(block("down", in, in, i > 0));
    down.smaller = register_module(name("smaller"), conv(last ? in : 4 * in, out, 1));
    downs_.push_back(down);
  }
  for (std::size_t i = levels; i-- > 0;) {
    const std::int64_t in = widths[i], out = widths[i + 1];
    Up up{{}, nullptr};
    for (int k = 0; k < 3; ++k) up.blocks.push_back(block("up", out + in, out, i > 0));
    if (i > 0) up.larger = register_module(name("larger"), shuffled_conv(out, in));
    ups_.push_back(up);
  }
  const std::int64_t w = shape_.width, deepest = widths.back();
  middle_in_ = block("middle", deepest, deepest, true);
  middle_ =
      register_module("mid_attn", std::make_shared<SelfAttention>(SelfAttentionShape{deepest, 16, 32, false, false}));
  middle_out_ = block("middle", deepest, deepest, true);
  last_ = block("last", 2 * w, w, false);
  out_ = register_module("to_out", conv(shape_.first ? w : w + 3, shape_.first ? 6 : 3, 1));
  nn::init::normal_(out_->weight, 0.0, 1e-3);  // far from zero, the learned variance would overflow
  nn::init::zeros_(out_->bias);
}

Unet::Known Unet::known(const Tensor& times, const Conditions& given) {
  const std::int64_t batch = times.size(0);
  const Tensor time = torch::gelu(time_in_->forward(time_embedding(times.to(no_image_.dtype()), shape_.width)));
  Known known;
  Tensor tokens = time_tokens_->forward(time).view({batch, time_token_count, shape_.condition});
  known.time = time_->forward(time);
  const Tensor keep_image = keep_mask(batch, 1 - given.drop_image, times.device());
  const Tensor keep_text = keep_mask(batch, 1 - given.drop_text, times.device()).view({batch, 1, 1});
  Tensor in_the_middle = tokens;
  if (shape_.first) {
    const Tensor image = torch::gelu(image_->forward(given.image_embedding));
    known.time = known.time + torch::where(keep_image.unsqueeze(1), image, no_image_);
    const Tensor of_image =
        image_tokens_->forward(given.image_embedding).view({batch, image_token_count, shape_.condition});
    tokens = torch::cat({tokens, torch::where(keep_image.view({batch, 1, 1}), of_image, no_image_tokens_)}, 1);
    const Words words = filled_up(given.words, text_->forward(given.words), shape_.words);
    const Tensor of_text = torch::where(words.present.logical_and(keep_text), words.words, no_words_);
    in_the_middle = torch::cat({tokens, of_text}, 1);
  }
  known.conditions = norm_->forward(tokens);
  known.in_the_middle = middle_norm_->forward(in_the_middle);
  return known;
}

Tensor Unet::forward(const Tensor& noised, const Tensor& times, const Conditions& given) {
  const bool has_smaller = given.smaller_image.defined();
  const Tensor input = has_smaller ? torch::cat({noised, given.smaller_image}, 1) : noised;
  std::vector<Tensor> scales;
  for (auto& layer : first_) scales.push_back(layer->forward(input));
  Tensor x = torch::cat(scales, 1);
  const Tensor start = x.clone();
  const Known told = known(times, given);

  std::vector<Tensor> skipped;
  for (Down& down : downs_) {
    x = down.blocks[0]->forward(x, told.time, told.conditions);
    for (std::size_t i = 1; i < down.blocks.size(); ++i) {
      x = down.blocks[i]->forward(x, told.time, told.conditions);
      skipped.push_back(x.contiguous());
    }
    skipped.push_back(x.contiguous());
    x = down.smaller->forward(down.halves ? unshuffled(x) : x);
  }
  x = middle_in_->forward(x, told.time, told.in_the_middle);
  const Tensor sequence = as_sequence(x);
  x = as_map(middle_->forward(sequence) + sequence, x);
  x = middle_out_->forward(x, told.time, told.in_the_middle);
  for (Up& up : ups_) {
    for (const auto& block : up.blocks) {
      x = block->forward(torch::cat({x, skipped.back() * 1.0}, 1), told.time, told.conditions);
      skipped.pop_back();
    }
    if (!up.larger.is_empty()) x = torch::pixel_shuffle(torch::silu(up.larger->forward(x)), 2);
  }
  x = last_->forward(torch::cat({x, start}, 1), told.time, {});
  return out_->forward(has_smaller ? torch::cat({x, given.smaller_image}, 1) : x);
}

}  // namespace tbci::suite::dalle2
