// attention_is_all_you_need_pytorch: Vaswani et al., Attention Is All You Need (2017), the base size, in the form of
// jadore801120/attention-is-all-you-need-pytorch: attention of elementary operators, a norm after each part.
#include <algorithm>
#include <cmath>

#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/linear.hpp"
#include "suite/blocks/standard_workload.hpp"
#include "suite/blocks/text.hpp"

namespace tbci::suite::models::attention_is_all_you_need {
namespace {

namespace nn = torch::nn;

constexpr double drop = 0.1;
constexpr double epsilon = 1e-6;
constexpr std::int64_t padding = 1;
constexpr std::int64_t places = 200;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t width;
  std::int64_t inner;
  std::int64_t heads;
  int layers;
  std::int64_t length;
};

nn::LayerNorm norm(std::int64_t width) {
  return nn::LayerNorm(nn::LayerNormOptions({width}).eps(epsilon));
}

class MultiHeadAttention : public nn::Module {
 public:
  explicit MultiHeadAttention(const Shape& shape) : heads_(shape.heads) {
    query_ = register_module("w_qs", linear_without_bias({shape.width, shape.width}));
    key_ = register_module("w_ks", linear_without_bias({shape.width, shape.width}));
    value_ = register_module("w_vs", linear_without_bias({shape.width, shape.width}));
    output_ = register_module("fc", linear_without_bias({shape.width, shape.width}));
    norm_ = register_module("layer_norm", norm(shape.width));
  }

  // `x` looks at those words of `at` where the mask is not false.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& at, const torch::Tensor& mask) {
    const torch::Tensor query = split_heads(query_->forward(x), heads_);
    const torch::Tensor key = split_heads(key_->forward(at), heads_);
    const torch::Tensor value = split_heads(value_->forward(at), heads_);
    const double temperature = std::sqrt(static_cast<double>(query.size(-1)));
    torch::Tensor scores = torch::matmul(query / temperature, key.transpose(2, 3));
    scores = scores.masked_fill(mask.unsqueeze(1) == 0, -1e9);
    const torch::Tensor weights = torch::dropout(torch::softmax(scores, -1), drop, is_training());
    torch::Tensor result = output_->forward(join_heads(torch::matmul(weights, value)));
    result = torch::dropout(result, drop, is_training());
    result += x;
    return norm_->forward(result);
  }

 private:
  std::int64_t heads_;
  nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  nn::LayerNorm norm_{nullptr};
};

class FeedForward : public nn::Module {
 public:
  explicit FeedForward(const Shape& shape) {
    widen_ = register_module("w_1", OneLinear(shape.width, shape.inner));
    narrow_ = register_module("w_2", OneLinear(shape.inner, shape.width));
    norm_ = register_module("layer_norm", norm(shape.width));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor result = narrow_->forward(torch::relu(widen_->forward(x)));
    result = torch::dropout(result, drop, is_training());
    result += x;
    return norm_->forward(result);
  }

 private:
  OneLinear widen_{nullptr}, narrow_{nullptr};
  nn::LayerNorm norm_{nullptr};
};

class Layer : public nn::Module {
 public:
  Layer(const Shape& shape, bool decoder) {
    own_ = register_module("slf_attn", std::make_shared<MultiHeadAttention>(shape));
    if (decoder) encoder_ = register_module("enc_attn", std::make_shared<MultiHeadAttention>(shape));
    feed_forward_ = register_module("pos_ffn", std::make_shared<FeedForward>(shape));
  }

  struct Source {
    torch::Tensor encoded;
    torch::Tensor mask;
  };

  torch::Tensor forward(torch::Tensor x, const torch::Tensor& mask, const Source& source) {
    x = own_->forward(x, x, mask);
    if (encoder_) x = encoder_->forward(x, source.encoded, source.mask);
    return feed_forward_->forward(x);
  }

 private:
  std::shared_ptr<MultiHeadAttention> own_, encoder_;
  std::shared_ptr<FeedForward> feed_forward_;
};

// A wave for each pair of channels: sines in the even ones, cosines in the odd ones [1, places, width].
torch::Tensor waves(std::int64_t width) {
  const torch::Tensor pair = torch::arange(width, torch::kDouble).div(2.0).floor() * 2.0;
  const torch::Tensor length = torch::pow(10000.0, pair / static_cast<double>(width));
  torch::Tensor table = torch::arange(places, torch::kDouble).unsqueeze(1) / length;
  table.slice(1, 0, width, 2).sin_();
  table.slice(1, 1, width, 2).cos_();
  return table.to(torch::kFloat).unsqueeze(0);
}

class Stack : public nn::Module {
 public:
  Stack(const Shape& shape, bool decoder) {
    words_ = register_module("word_emb",
                             nn::Embedding(nn::EmbeddingOptions(shape.vocabulary, shape.width).padding_idx(padding)));
    places_ = register_buffer("pos_table", waves(shape.width));
    for (int i = 0; i < shape.layers; ++i) {
      layers_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Layer>(shape, decoder)));
    }
    norm_ = register_module("layer_norm", norm(shape.width));
  }

  torch::Tensor forward(const torch::Tensor& words, const torch::Tensor& mask, const Layer::Source& source = {}) {
    torch::Tensor x = words_->forward(words);
    x = x + places_.slice(1, 0, x.size(1)).clone().detach();
    x = norm_->forward(torch::dropout(x, drop, is_training()));
    for (const auto& layer : layers_) x = layer->forward(x, mask, source);
    return x;
  }

 private:
  nn::Embedding words_{nullptr};
  torch::Tensor places_;
  std::vector<std::shared_ptr<Layer>> layers_;
  nn::LayerNorm norm_{nullptr};
};

class Transformer : public nn::Module {
 public:
  explicit Transformer(const Shape& shape) {
    encoder_ = register_module("encoder", std::make_shared<Stack>(shape, false));
    decoder_ = register_module("decoder", std::make_shared<Stack>(shape, true));
    output_ = register_module("trg_word_prj", linear_without_bias({shape.width, shape.vocabulary}));
    for (torch::Tensor& parameter : parameters()) {
      if (parameter.dim() > 1) nn::init::xavier_uniform_(parameter);
    }
  }

  // The scores of the translation's words [batch * length, vocabulary].
  torch::Tensor forward(const torch::Tensor& source, const torch::Tensor& target) {
    const torch::Tensor source_mask = (source != padding).unsqueeze(-2);
    const torch::Tensor square =
        torch::ones({1, target.size(1), target.size(1)}, source.options().dtype(torch::kFloat));
    const torch::Tensor earlier = (1.0 - square.triu(1)).to(torch::kBool);
    const torch::Tensor target_mask = (target != padding).unsqueeze(-2).bitwise_and(earlier);

    const torch::Tensor encoded = encoder_->forward(source, source_mask);
    const torch::Tensor decoded = decoder_->forward(target, target_mask, {encoded, source_mask});
    const double scale = 1.0;  // another one where the output layer shares the embedding's weight
    const torch::Tensor scores = output_->forward(decoded) * scale;
    return scores.view({-1, scores.size(2)});
  }

 private:
  std::shared_ptr<Stack> encoder_, decoder_;
  nn::Linear output_{nullptr};
};

// Adam whose rate rises for some steps, then falls with the root of their number.
class WarmedUpAdam : public torch::optim::Adam {
 public:
  WarmedUpAdam(std::vector<torch::Tensor> parameters, std::int64_t width)
      : Adam(std::move(parameters), torch::optim::AdamOptions().betas({0.9, 0.98}).eps(1e-9)),
        scale_(2.0 / std::sqrt(static_cast<double>(width))) {}

  torch::Tensor step(LossClosure closure = nullptr) override {
    constexpr double warm_up = 128.0;
    steps_ += 1.0;
    const double rate = scale_ * std::min(1.0 / std::sqrt(steps_), steps_ / std::pow(warm_up, 1.5));
    for (auto& group : param_groups()) static_cast<torch::optim::AdamOptions&>(group.options()).lr(rate);
    torch::Tensor loss;
    if (closure) loss = closure();
    take_step_of_adam(*this);
    return loss;
  }

 private:
  double scale_;
  double steps_ = 0.0;
};

// Sentences of different lengths, filled up with padding.
torch::Tensor sentences(const Setup& setup, const Shape& shape) {
  const torch::Tensor place = torch::arange(shape.length).unsqueeze(0);
  const torch::Tensor length = torch::randint(shape.length / 2, shape.length + 1, {setup.batch, 1}, torch::kLong);
  const torch::Tensor words = torch::randint(padding + 1, shape.vocabulary, {setup.batch, shape.length}, torch::kLong);
  return torch::where(place < length, words, torch::full_like(words, padding)).to(setup.device);
}

// The sum over the words. The original also counts the right ones each time, and asks for the number.
torch::Tensor loss(const torch::Tensor& scores, const torch::Tensor& words) {
  const torch::Tensor sum = at::cross_entropy_loss(scores, words, {}, at::Reduction::Sum, padding);
  const torch::Tensor real = words != padding;
  std::get<1>(scores.detach().max(1)).eq(words).masked_select(real).sum().item<std::int64_t>();
  real.sum().item<std::int64_t>();
  return sum;
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape =
      by_size<Shape>(setup, {.vocabulary = 9521, .width = 512, .inner = 2048, .heads = 8, .layers = 6, .length = 32},
                     {.vocabulary = 1000, .width = 64, .inner = 256, .heads = 4, .layers = 3, .length = 16});
  auto module = std::make_shared<Transformer>(shape);
  module->to(setup.device);
  const torch::Tensor source = sentences(setup, shape);
  const torch::Tensor target = sentences(setup, shape);
  const torch::Tensor said = target.slice(1, 0, -1).contiguous();
  const torch::Tensor to_say = target.slice(1, 1).reshape({-1});

  const auto optimizer = [shape](std::vector<torch::Tensor> parameters) {
    return std::make_unique<WarmedUpAdam>(std::move(parameters), shape.width);
  };
  return standard_workload(setup, {.module = module,
                                   .forward = [module, source, said] { return Tensors{module->forward(source, said)}; },
                                   .loss = [to_say](const Tensors& outputs) { return loss(outputs[0], to_say); },
                                   .optimizer = optimizer,
                                   .inputs = {source, said}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "attention_is_all_you_need_pytorch",
           .domain = "nlp",
           .task = "translation",
           .source = "jadore801120/attention-is-all-you-need-pytorch",
           .parameters = 58727936,
           .paper_batch = {.train = 256, .infer = 32},
           .ci_batch = {.train = 24, .infer = 128},
           .make = make,
           .differs = "sentences of 16 to 32 random words stand for Multi30k's, and 9,521 words for its vocabulary"}};
}

}  // namespace tbci::suite::models::attention_is_all_you_need
