// llama: Touvron et al., LLaMA: Open and Efficient Foundation Language Models (2023), facebookresearch/llama's module
// with its default sizes, a cache of keys and values, and places as rotations of complex numbers.
#include <algorithm>
#include <cmath>

#include "suite/blocks/rms_norm.hpp"
#include "suite/blocks/text_workload.hpp"

namespace tbci::suite::models::llama {
namespace {

namespace nn = torch::nn;

constexpr double epsilon = 1e-5;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t width;
  std::int64_t inner;
  std::int64_t heads;
  int layers;
  std::int64_t longest;  // texts the cache has room for
  std::int64_t largest_batch;
  std::int64_t length;
};

// Of each place and pair of channels, the rotation as a complex number [places, width / 2].
torch::Tensor rotations(std::int64_t width, std::int64_t places) {
  const torch::Tensor power = torch::arange(0, width, 2, torch::kFloat) / static_cast<double>(width);
  const torch::Tensor angles = torch::outer(torch::arange(places, torch::kFloat), 1.0 / torch::pow(10000.0, power));
  return torch::polar(torch::ones_like(angles), angles);
}

// Each pair of neighbouring channels of x [batch, length, heads, width] is a complex number.
torch::Tensor rotated(const torch::Tensor& x, const torch::Tensor& by) {
  const torch::Tensor pairs = torch::view_as_complex(x.reshape({x.size(0), x.size(1), x.size(2), -1, 2}));
  return torch::view_as_real(pairs * by.view({1, x.size(1), 1, -1})).flatten(3);
}

struct Places {
  std::int64_t begin;
  std::int64_t end;
};

class CachedAttention : public nn::Module {
 public:
  explicit CachedAttention(const Shape& shape) : heads_(shape.heads) {
    const Sizes square{shape.width, shape.width};
    query_ = register_module("wq", linear_without_bias(square));
    key_ = register_module("wk", linear_without_bias(square));
    value_ = register_module("wv", linear_without_bias(square));
    output_ = register_module("wo", linear_without_bias(square));
    const std::vector<std::int64_t> room{shape.largest_batch, shape.longest, heads_, shape.width / heads_};
    keys_ = torch::zeros(room);  // two gigabytes in paper size; no buffers, and moved with the first words
    values_ = torch::zeros(room);
  }

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& by, const Places& places) {
    const auto split = [&](nn::Linear& layer) { return layer->forward(x).view({x.size(0), x.size(1), heads_, -1}); };
    const torch::Tensor query = rotated(split(query_), by).transpose(1, 2);
    const torch::Tensor keys = remembered(keys_, rotated(split(key_), by), places).transpose(1, 2);
    const torch::Tensor values = remembered(values_, split(value_), places).transpose(1, 2);
    // Nothing is masked: TorchBench's copy of the module leaves that out.
    const double root = std::sqrt(static_cast<double>(query.size(-1)));
    const torch::Tensor weights = torch::softmax(torch::matmul(query, keys.transpose(2, 3)) / root, -1);
    const torch::Tensor mixed = torch::matmul(weights, values).transpose(1, 2).contiguous();
    return output_->forward(mixed.view({x.size(0), x.size(1), -1}));
  }

 private:
  // All up to these places, the new ones included.
  static torch::Tensor remembered(torch::Tensor& cache, const torch::Tensor& fresh, const Places& places) {
    const torch::NoGradGuard no_gradients;
    cache = cache.to(fresh.options());
    const torch::Tensor rows = cache.slice(0, 0, fresh.size(0));
    rows.slice(1, places.begin, places.end).copy_(fresh);
    return rows.slice(1, 0, places.end);
  }

  std::int64_t heads_;
  nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  torch::Tensor keys_, values_;
};

class Block : public nn::Module {
 public:
  explicit Block(const Shape& shape) {
    attention_ = register_module("attention", std::make_shared<CachedAttention>(shape));
    gate_ = register_module("w1", linear_without_bias({shape.width, shape.inner}));
    narrow_ = register_module("w2", linear_without_bias({shape.inner, shape.width}));
    widen_ = register_module("w3", linear_without_bias({shape.width, shape.inner}));
    attention_norm_ = register_module("attention_norm", std::make_shared<RmsNorm>(shape.width, epsilon));
    norm_ = register_module("ffn_norm", std::make_shared<RmsNorm>(shape.width, epsilon));
  }

  torch::Tensor forward(torch::Tensor x, const torch::Tensor& by, const Places& places) {
    x = x + attention_->forward(attention_norm_->forward(x), by, places);
    const torch::Tensor normed = norm_->forward(x);
    return x + narrow_->forward(torch::silu(gate_->forward(normed)) * widen_->forward(normed));
  }

 private:
  std::shared_ptr<CachedAttention> attention_;
  nn::Linear gate_{nullptr}, narrow_{nullptr}, widen_{nullptr};
  std::shared_ptr<RmsNorm> attention_norm_, norm_;
};

class Llama : public nn::Module {
 public:
  explicit Llama(const Shape& shape) {
    words_ = register_module("tok_embeddings", nn::Embedding(shape.vocabulary, shape.width));
    for (int i = 0; i < shape.layers; ++i) {
      blocks_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Block>(shape)));
    }
    norm_ = register_module("norm", std::make_shared<RmsNorm>(shape.width, epsilon));
    output_ = register_module("output", linear_without_bias({shape.width, shape.vocabulary}));
    rotations_ = register_buffer("freqs_cis", rotations(shape.width / shape.heads, 2 * shape.longest));
  }

  // The scores of the word after these, which begin at place `begin` [batch, vocabulary].
  torch::Tensor forward(const torch::Tensor& words, std::int64_t begin) {
    const Places places{begin, begin + words.size(1)};
    const torch::Tensor by = rotations_.slice(0, places.begin, places.end);
    // The original makes this mask and does not use it.
    torch::full({1, 1, words.size(1), words.size(1)}, -INFINITY, rotations_.options().dtype(torch::kFloat))
        .triu(begin + 1);
    torch::Tensor x = words_->forward(words);
    for (const auto& block : blocks_) x = block->forward(x, by, places);
    return output_->forward(norm_->forward(x).select(1, -1));
  }

 private:
  nn::Embedding words_{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<RmsNorm> norm_;
  nn::Linear output_{nullptr};
  torch::Tensor rotations_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  Shape shape = by_size<Shape>(setup,
                               {.vocabulary = 32000,
                                .width = 512,
                                .inner = 1536,
                                .heads = 8,
                                .layers = 8,
                                .longest = 1024,
                                .largest_batch = 64,
                                .length = 32},
                               {.vocabulary = 1000,
                                .width = 96,
                                .inner = 256,
                                .heads = 4,
                                .layers = 4,
                                .longest = 64,
                                .largest_batch = 64,
                                .length = 32});
  shape.largest_batch = std::max(shape.largest_batch, setup.batch);
  const auto module = std::make_shared<Llama>(shape);
  return reading_workload(setup, module, {.vocabulary = shape.vocabulary, .length = shape.length},
                          [module](const torch::Tensor& words) { return Tensors{module->forward(words, 1)}; });
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "llama",
           .domain = "nlp",
           .task = "language modeling",
           .source = "facebookresearch/llama, as in TorchBench",
           .parameters = 60039680,
           .paper_batch = {.train = 32, .infer = 32},
           .ci_batch = {.train = 64, .infer = 64},
           .make = make,
           .modes = {.train = false},
           .listed = Listed::later}};
}

}  // namespace tbci::suite::models::llama
