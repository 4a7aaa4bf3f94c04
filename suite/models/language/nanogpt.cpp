// nanogpt: Karpathy's nanoGPT (2022) in its default size, that of the smallest GPT-2. Training is as in TorchBench, on
// the mean of the scores; inference writes 32 words, sampled from the likeliest 200, without a cache.
#include <algorithm>

#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/linear.hpp"
#include "suite/blocks/standard_workload.hpp"
#include "suite/blocks/text.hpp"

namespace tbci::suite::models::nanogpt {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t places;
  std::int64_t width;
  int layers;
  std::int64_t heads;
};

struct Writing {
  std::int64_t words;
  std::int64_t likeliest;
  double temperature;
};

class Block : public nn::Module {
 public:
  explicit Block(const Shape& shape) : heads_(shape.heads) {
    const std::int64_t width = shape.width;
    norm_1_ = register_module("ln_1", nn::LayerNorm(nn::LayerNormOptions({width})));
    attend_ = register_module("c_attn", OneLinear(width, 3 * width));
    mix_ = register_module("c_proj", OneLinear(width, width));
    norm_2_ = register_module("ln_2", nn::LayerNorm(nn::LayerNormOptions({width})));
    widen_ = register_module("c_fc", OneLinear(width, 4 * width));
    narrow_ = register_module("mlp_c_proj", OneLinear(4 * width, width));
  }

  torch::Tensor forward(torch::Tensor x) {
    x = x + attention(norm_1_->forward(x));
    return x + narrow_->forward(gelu_by_tanh(widen_->forward(norm_2_->forward(x))));
  }

 private:
  torch::Tensor attention(const torch::Tensor& x) {
    const auto parts = attend_->forward(x).split(x.size(2), 2);
    Attention attention{split_heads(parts[0], heads_), split_heads(parts[1], heads_), split_heads(parts[2], heads_)};
    attention.causal = true;
    return mix_->forward(join_heads(attend(attention)));
  }

  std::int64_t heads_;
  nn::LayerNorm norm_1_{nullptr}, norm_2_{nullptr};
  OneLinear attend_{nullptr}, mix_{nullptr}, widen_{nullptr}, narrow_{nullptr};
};

class NanoGpt : public nn::Module {
 public:
  explicit NanoGpt(const Shape& shape) : longest_(shape.places) {
    words_ = register_module("wte", nn::Embedding(shape.vocabulary, shape.width));
    places_ = register_module("wpe", nn::Embedding(shape.places, shape.width));
    for (int i = 0; i < shape.layers; ++i) {
      blocks_.push_back(register_module("h" + std::to_string(i), std::make_shared<Block>(shape)));
    }
    norm_ = register_module("ln_f", nn::LayerNorm(nn::LayerNormOptions({shape.width})));
    initialise(*this, 0.02);
  }

  // The scores of the word after these [batch, 1, vocabulary].
  torch::Tensor forward(const torch::Tensor& words) {
    const torch::Tensor place = torch::arange(0, words.size(1), words.options()).unsqueeze(0);
    torch::Tensor x = words_->forward(words) + places_->forward(place);
    for (const auto& block : blocks_) x = block->forward(x);
    const torch::Tensor last = torch::full({1}, -1, words.options());
    return nn::functional::linear(norm_->forward(x).index({torch::indexing::Slice(), last}), words_->weight);
  }

  torch::Tensor write(torch::Tensor text, const Writing& writing, const at::Generator& dice) {
    for (std::int64_t i = 0; i < writing.words; ++i) {
      const torch::Tensor seen = text.size(1) <= longest_ ? text : text.slice(1, -longest_);
      const torch::Tensor scores = forward(seen).select(1, -1) / writing.temperature;
      const auto likeliest = torch::topk(scores, std::min(writing.likeliest, scores.size(-1)));
      const torch::Tensor least = std::get<0>(likeliest).slice(1, -1);
      scores.index_put_({scores < least}, torch::full({}, -INFINITY, scores.options()));
      const torch::Tensor word = at::multinomial(torch::softmax(scores, -1), 1, false, dice);
      text = torch::cat({text, word}, 1);
    }
    return text;
  }

 private:
  std::int64_t longest_;
  nn::Embedding words_{nullptr}, places_{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  nn::LayerNorm norm_{nullptr};
};

// Matrices decay, vectors do not.
std::unique_ptr<torch::optim::Optimizer> optimizer(const std::vector<torch::Tensor>& parameters) {
  std::vector<torch::Tensor> matrices, vectors;
  for (const torch::Tensor& parameter : parameters) (parameter.dim() >= 2 ? matrices : vectors).push_back(parameter);
  const auto options = torch::optim::AdamWOptions(6e-4).betas({0.9, 0.95});
  const auto group = [&](std::vector<torch::Tensor> members, double decay) {
    auto own = torch::optim::AdamWOptions(options).weight_decay(decay);
    return torch::optim::OptimizerParamGroup(std::move(members), std::make_unique<torch::optim::AdamWOptions>(own));
  };
  return std::make_unique<torch::optim::AdamW>(
      std::vector<torch::optim::OptimizerParamGroup>{group(matrices, 0.1), group(vectors, 0.0)}, options);
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape =
      by_size<Shape>(setup, {.vocabulary = 50304, .places = 1024, .width = 768, .layers = 12, .heads = 12},
                     {.vocabulary = 1024, .places = 96, .width = 96, .layers = 4, .heads = 4});
  const Writing writing{.words = by_size(setup, 32, 8), .likeliest = by_size(setup, 200, 50), .temperature = 0.8};
  auto module = std::make_shared<NanoGpt>(shape);
  module->to(setup.device);
  const torch::Tensor words = random_words(setup, shape.vocabulary - 1, by_size(setup, 64, 32)) + 1;
  // Its own generator, so that each iteration writes the same.
  auto dice = at::globalContext().defaultGenerator(setup.device).clone();
  const auto seed = static_cast<std::uint64_t>(torch::randint(1 << 30, {}, torch::kLong).item<std::int64_t>());

  const bool train = setup.mode == Mode::train;
  const auto forward = [module, words, writing, dice, seed, train]() mutable {
    if (train) return Tensors{module->forward(words)};
    dice.set_current_seed(seed);
    return Tensors{module->write(words, writing, dice)};
  };
  return standard_workload(setup, {.module = module,
                                   .forward = forward,
                                   .loss = [](const Tensors& outputs) { return outputs[0].sum() / outputs[0].numel(); },
                                   .optimizer = optimizer,
                                   .inputs = {words, torch::full({}, static_cast<std::int64_t>(seed), torch::kLong)}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "nanogpt",
           .domain = "nlp",
           .task = "language modeling",
           .source = "karpathy/nanoGPT",
           .parameters = 124475904,
           .paper_batch = {.train = 1, .infer = 1},
           .ci_batch = {.train = 20, .infer = 10},
           .make = make,
           .listed = Listed::later}};
}

}  // namespace tbci::suite::models::nanogpt
