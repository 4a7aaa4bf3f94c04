// BERT_pytorch: the encoder of Devlin et al., BERT (2018), in the form of codertimo/BERT-pytorch: pre-norm blocks with
// a layer norm of elementary operators, trained on masked words and on the next sentence.
#include <cmath>

#include "suite/blocks/linear.hpp"
#include "suite/blocks/position_codes.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::models::bert_pytorch {
namespace {

namespace nn = torch::nn;

constexpr double drop = 0.1;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t hidden;
  int layers;
  std::int64_t heads;
  std::int64_t length;
};

class ElementaryLayerNorm : public nn::Module {
 public:
  explicit ElementaryLayerNorm(std::int64_t size)
      : scale_(register_parameter("a_2", torch::ones({size}))),
        shift_(register_parameter("b_2", torch::zeros({size}))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor mean = x.mean(-1, true);
    const torch::Tensor deviation = x.std(-1, true, true);
    return scale_ * (x - mean) / (deviation + 1e-6) + shift_;
  }

 private:
  torch::Tensor scale_;
  torch::Tensor shift_;
};

class Attention : public nn::Module {
 public:
  explicit Attention(const Shape& shape) : heads_(shape.heads), width_(shape.hidden / shape.heads) {
    for (auto* layer : {&query_, &key_, &value_, &output_}) *layer = OneLinear(shape.hidden, shape.hidden);
    register_module("query", query_);
    register_module("key", key_);
    register_module("value", value_);
    register_module("output", output_);
    dropout_ = register_module("dropout", nn::Dropout(drop));
  }

  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& mask) {
    const torch::Tensor query = split(query_->forward(x));
    const torch::Tensor key = split(key_->forward(x));
    const torch::Tensor value = split(value_->forward(x));
    torch::Tensor scores = torch::matmul(query, key.transpose(-2, -1)) / std::sqrt(static_cast<double>(width_));
    scores = scores.masked_fill(mask == 0, -1e9);
    const torch::Tensor weights = dropout_->forward(torch::softmax(scores, -1));
    const torch::Tensor mixed = torch::matmul(weights, value).transpose(1, 2).contiguous();
    return output_->forward(mixed.view({x.size(0), -1, heads_ * width_}));
  }

 private:
  torch::Tensor split(const torch::Tensor& x) const { return x.view({x.size(0), -1, heads_, width_}).transpose(1, 2); }

  std::int64_t heads_;
  std::int64_t width_;
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  nn::Dropout dropout_{nullptr};
};

class Block : public nn::Module {
 public:
  explicit Block(const Shape& shape) {
    attention_ = register_module("attention", std::make_shared<Attention>(shape));
    widen_ = register_module("w_1", OneLinear(shape.hidden, 4 * shape.hidden));
    narrow_ = register_module("w_2", OneLinear(4 * shape.hidden, shape.hidden));
    norm_in_ = register_module("input_sublayer", std::make_shared<ElementaryLayerNorm>(shape.hidden));
    norm_out_ = register_module("output_sublayer", std::make_shared<ElementaryLayerNorm>(shape.hidden));
    dropout_ = register_module("dropout", nn::Dropout(drop));
  }

  torch::Tensor forward(torch::Tensor x, const torch::Tensor& mask) {
    x = x + dropout_->forward(attention_->forward(norm_in_->forward(x), mask));
    const torch::Tensor wide = torch::gelu(widen_->forward(norm_out_->forward(x)));
    x = x + dropout_->forward(narrow_->forward(dropout_->forward(wide)));
    return dropout_->forward(x);
  }

 private:
  std::shared_ptr<Attention> attention_;
  std::shared_ptr<ElementaryLayerNorm> norm_in_, norm_out_;
  OneLinear widen_{nullptr}, narrow_{nullptr};
  nn::Dropout dropout_{nullptr};
};

class Bert : public nn::Module {
 public:
  explicit Bert(const Shape& shape) {
    words_ =
        register_module("token", nn::Embedding(nn::EmbeddingOptions(shape.vocabulary, shape.hidden).padding_idx(0)));
    segments_ = register_module("segment", nn::Embedding(nn::EmbeddingOptions(3, shape.hidden).padding_idx(0)));
    positions_ = register_buffer("position", position_codes({.places = 512, .width = shape.hidden}));
    dropout_ = register_module("dropout", nn::Dropout(drop));
    for (int i = 0; i < shape.layers; ++i) {
      blocks_.push_back(register_module("block" + std::to_string(i), std::make_shared<Block>(shape)));
    }
    next_sentence_ = register_module("next_sentence", OneLinear(shape.hidden, 2));
    masked_words_ = register_module("mask_lm", OneLinear(shape.hidden, shape.vocabulary));
  }

  // The log probabilities of "is the next sentence" [batch, 2] and of the words [batch, length, vocabulary].
  Tensors forward(const torch::Tensor& words, const torch::Tensor& segments) {
    const torch::Tensor mask = (words > 0).unsqueeze(1).repeat({1, words.size(1), 1}).unsqueeze(1);
    torch::Tensor x = words_->forward(words) + positions_.slice(1, 0, words.size(1)) + segments_->forward(segments);
    x = dropout_->forward(x);
    for (const auto& block : blocks_) x = block->forward(x, mask);
    return {torch::log_softmax(next_sentence_->forward(x.select(1, 0)), -1),
            torch::log_softmax(masked_words_->forward(x), -1)};
  }

 private:
  nn::Embedding words_{nullptr}, segments_{nullptr};
  torch::Tensor positions_;
  nn::Dropout dropout_{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  OneLinear next_sentence_{nullptr}, masked_words_{nullptr};
};

// Pairs of sentences of random length, padded with 0. The first five words of the vocabulary have special meanings.
struct Text {
  torch::Tensor words, segments, labels, is_next;
};

Text text(std::int64_t batch, const Shape& shape) {
  const torch::Tensor place = torch::arange(shape.length).unsqueeze(0);
  const torch::Tensor length = torch::randint(shape.length / 2, shape.length + 1, {batch, 1}, torch::kLong);
  const torch::Tensor real = place < length;
  const torch::Tensor words = torch::randint(5, shape.vocabulary, {batch, shape.length}, torch::kLong);
  const torch::Tensor segments = torch::where(place < length / 2, torch::ones_like(words), torch::full_like(words, 2));
  torch::Tensor masked = torch::rand({batch, shape.length}) < 0.15;
  masked.select(1, 1).fill_(true);  // no row without a word to guess
  return {words * real, segments * real, words * (masked & real), 1 - torch::arange(batch) % 2};
}

torch::Tensor loss(const Tensors& outputs, const Text& text) {
  const auto ignored = nn::functional::NLLLossFuncOptions().ignore_index(0);
  return nn::functional::nll_loss(outputs[0], text.is_next, ignored) +
         nn::functional::nll_loss(outputs[1].transpose(1, 2), text.labels, ignored);
}

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape =
      by_size<Shape>(setup, {.vocabulary = 20005, .hidden = 768, .layers = 12, .heads = 12, .length = 128},
                     {.vocabulary = 1005, .hidden = 96, .layers = 4, .heads = 4, .length = 32});
  auto module = std::make_shared<Bert>(shape);
  module->to(setup.device);
  Text data = text(setup.batch, shape);
  for (torch::Tensor* tensor : {&data.words, &data.segments, &data.labels, &data.is_next}) {
    *tensor = tensor->to(setup.device);
  }

  const bool infer = setup.mode == Mode::infer;
  const auto forward = [module, data, infer] {
    Tensors outputs = module->forward(data.words, data.segments);
    if (infer) outputs.push_back(loss(outputs, data));  // the original computes it in inference too
    return outputs;
  };
  return standard_workload(setup, {.module = module,
                                   .forward = forward,
                                   .loss = [data](const Tensors& outputs) { return loss(outputs, data); },
                                   .optimizer = use_adam(torch::optim::AdamOptions(1e-4).weight_decay(0.01)),
                                   .inputs = {data.words, data.segments, data.is_next, data.labels}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "BERT_pytorch",
           .domain = "nlp",
           .task = "language modeling",
           .source = "codertimo/BERT-pytorch",
           .parameters = 115805991,
           .paper_batch = {.train = 16, .infer = 16},
           .ci_batch = {.train = 4, .infer = 16},
           .make = make,
           .differs = "longer sentences, and the learning rate stays at 1e-4 instead of rising for 10,000 steps; the "
                      "batch of inference is that of a GPU, on a CPU the original takes an eighth"}};
}

}  // namespace tbci::suite::models::bert_pytorch
