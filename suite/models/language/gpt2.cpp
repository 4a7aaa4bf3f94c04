// hf_public_text_generator1: GPT-2 (Radford et al., 2019) in its smallest size, as Hugging Face has it.
#include <cmath>

#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models {
namespace {

namespace nn = torch::nn;

constexpr double drop = 0.1;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t positions;
  std::int64_t width;
  std::int64_t layers;
  std::int64_t heads;
};

// A linear layer whose weight lies the other way round: [in, out].
class Projection : public nn::Module {
 public:
  Projection(std::int64_t in, std::int64_t out)
      : out_(out),
        weight_(register_parameter("weight", torch::normal(0.0, 0.02, {in, out}))),
        bias_(register_parameter("bias", torch::zeros({out}))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor rows = torch::addmm(bias_, x.view({-1, x.size(-1)}), weight_);
    return rows.view({x.size(0), x.size(1), out_});
  }

 private:
  std::int64_t out_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

torch::Tensor gelu_by_tanh(const torch::Tensor& x) {
  const double factor = std::sqrt(2.0 / 3.14159265358979323846);
  return 0.5 * x * (1.0 + torch::tanh(factor * (x + 0.044715 * torch::pow(x, 3.0))));
}

torch::Tensor causal_attention(const torch::Tensor& query, const torch::Tensor& key, const torch::Tensor& value,
                               double dropout) {
#if TORCH_VERSION_MAJOR >= 2
  return at::scaled_dot_product_attention(query, key, value, {}, dropout, true);
#else
  const std::int64_t length = query.size(2);
  const torch::Tensor later = torch::ones({length, length}, query.options().dtype(torch::kBool)).triu(1);
  torch::Tensor scores = torch::matmul(query, key.transpose(-2, -1)) / std::sqrt(static_cast<double>(query.size(-1)));
  scores = scores.masked_fill(later, -INFINITY);
  return torch::matmul(torch::dropout(torch::softmax(scores, -1), dropout, dropout > 0.0), value);
#endif
}

class Block : public nn::Module {
 public:
  explicit Block(const Shape& shape) : heads_(shape.heads) {
    const std::int64_t width = shape.width;
    norm_1_ = register_module("ln_1", nn::LayerNorm(nn::LayerNormOptions({width})));
    norm_2_ = register_module("ln_2", nn::LayerNorm(nn::LayerNormOptions({width})));
    attend_ = register_module("c_attn", std::make_shared<Projection>(width, 3 * width));
    mix_ = register_module("c_proj", std::make_shared<Projection>(width, width));
    widen_ = register_module("mlp_c_fc", std::make_shared<Projection>(width, 4 * width));
    narrow_ = register_module("mlp_c_proj", std::make_shared<Projection>(4 * width, width));
    dropout_ = register_module("dropout", nn::Dropout(drop));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = x + dropout_->forward(attention(norm_1_->forward(x)));
    const torch::Tensor wide = gelu_by_tanh(widen_->forward(norm_2_->forward(x)));
    return x + dropout_->forward(narrow_->forward(wide));
  }

 private:
  torch::Tensor attention(const torch::Tensor& x) {
    const auto parts = attend_->forward(x).split(x.size(2), 2);
    const auto split = [&](const torch::Tensor& part) {
      return part.view({x.size(0), x.size(1), heads_, -1}).transpose(1, 2);
    };
    const torch::Tensor mixed =
        causal_attention(split(parts[0]), split(parts[1]), split(parts[2]), is_training() ? drop : 0.0);
    return mix_->forward(mixed.transpose(1, 2).reshape(x.sizes()));
  }

  std::int64_t heads_;
  nn::LayerNorm norm_1_{nullptr}, norm_2_{nullptr};
  std::shared_ptr<Projection> attend_, mix_, widen_, narrow_;
  nn::Dropout dropout_{nullptr};
};

class Gpt2 : public nn::Module {
 public:
  explicit Gpt2(const Shape& shape) {
    words_ = register_module("wte", nn::Embedding(shape.vocabulary, shape.width));
    positions_ = register_module("wpe", nn::Embedding(shape.positions, shape.width));
    nn::init::normal_(words_->weight, 0.0, 0.02);
    nn::init::normal_(positions_->weight, 0.0, 0.02);
    dropout_ = register_module("dropout", nn::Dropout(drop));
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      blocks_.push_back(register_module("h" + std::to_string(i), std::make_shared<Block>(shape)));
    }
    norm_ = register_module("ln_f", nn::LayerNorm(nn::LayerNormOptions({shape.width})));
  }

  // The scores of the next word [batch, length, vocabulary]; the output layer shares the embedding's weight.
  torch::Tensor forward(const torch::Tensor& words) {
    const torch::Tensor place = torch::arange(words.size(1), words.options()).unsqueeze(0);
    torch::Tensor x = dropout_->forward(words_->forward(words) + positions_->forward(place));
    for (const auto& block : blocks_) x = block->forward(x);
    return nn::functional::linear(norm_->forward(x), words_->weight);
  }

 private:
  nn::Embedding words_{nullptr}, positions_{nullptr};
  nn::Dropout dropout_{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  nn::LayerNorm norm_{nullptr};
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const bool paper = setup.size == Size::paper;
  const Shape shape = paper ? Shape{50257, 1024, 768, 12, 12} : Shape{1024, 64, 96, 4, 4};
  const std::int64_t length = setup.mode == Mode::train ? shape.positions / 2 : shape.positions;
  auto module = std::make_shared<Gpt2>(shape);
  module->to(setup.device);
  const torch::Tensor words = torch::randint(shape.vocabulary, {setup.batch, length}, torch::kLong).to(setup.device);

  StandardWorkload::Parts parts;
  parts.module = module;
  parts.forward = [module, words] { return Tensors{module->forward(words)}; };
  parts.loss = [words](const Tensors& outputs) {
    const torch::Tensor scores = outputs[0].slice(1, 0, -1);
    return nn::functional::cross_entropy(scores.reshape({-1, scores.size(2)}), words.slice(1, 1).reshape({-1}));
  };
  parts.optimizer = [](std::vector<torch::Tensor> parameters) { return adam(std::move(parameters), 1e-3); };
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

}  // namespace

std::vector<Benchmark> gpt2() {
  return {{"hf_public_text_generator1",
           "nlp",
           "language modeling",
           "Hugging Face transformers (GPT-2)",
           124439808,
           {4, 1},
           {8, 16},
           make}};
}

}  // namespace tbci::suite::models
