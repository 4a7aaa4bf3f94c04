// What BERT and its kin share: learned positions, post-norm blocks around any attention, a head that guesses words.
#pragma once

#include <memory>

#include "suite/blocks/linear.hpp"
#include "suite/blocks/standard_workload.hpp"

namespace tbci::suite::encoder {

using Activation = torch::Tensor (*)(const torch::Tensor&);

torch::Tensor gelu(const torch::Tensor& x);

// Linear layers and embeddings from a normal distribution, no biases, as BERT starts.
void initialise(torch::nn::Module& module);  // all its parts

// [batch, length, width] to [batch, heads, length, width / heads] and back.
torch::Tensor split_heads(const torch::Tensor& x, std::int64_t heads);
torch::Tensor merge_heads(const torch::Tensor& x);

// Softmax attention of [batch, heads, length, width of a head], `bias` added to the scores where it is defined.
struct Attended {
  torch::Tensor query;
  torch::Tensor key;
  torch::Tensor value;
  torch::Tensor bias = {};
};
torch::Tensor attend(const Attended& heads, double dropout);

struct AttentionShape {
  std::int64_t width;
  std::int64_t heads;
  double dropout = 0.1;
};

// Softmax attention of every word to every other.
class DenseAttention : public torch::nn::Module {
 public:
  struct Context {};  // no word is padded

  explicit DenseAttention(const AttentionShape& shape);
  torch::Tensor forward(const torch::Tensor& x, const Context&);

 private:
  AttentionShape shape_;
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr};
};

// Every word of a batch is real. The original makes a mask and looks at it in every pass; so does this.
DenseAttention::Context nothing_padded(const torch::Tensor& words);

struct EmbeddingShape {
  std::int64_t vocabulary;
  std::int64_t positions;
  std::int64_t segments;  // 0: none
  std::int64_t width;
  double dropout = 0.1;
  double epsilon = 1e-12;
  std::int64_t padding = 0;         // the word that fills up short sentences
  bool count_past_padding = false;  // RoBERTa's way: real words are numbered from padding + 1 on
  bool norm_last = false;           // after the dropout
};

class Embeddings : public torch::nn::Module {
 public:
  explicit Embeddings(const EmbeddingShape& shape);
  torch::Tensor forward(const torch::Tensor& words, const torch::Tensor& segments = {});  // all 0 where undefined
  const torch::Tensor& words() const { return words_->weight; }

 private:
  torch::Tensor places(const torch::Tensor& words) const;

  EmbeddingShape shape_;
  torch::nn::Embedding words_{nullptr}, places_{nullptr}, segments_{nullptr};
  torch::nn::LayerNorm norm_{nullptr};
  torch::nn::Dropout dropout_{nullptr};
  torch::Tensor place_numbers_, segment_numbers_;
};

struct BlockShape {
  std::int64_t width;
  std::int64_t inner;          // of the feed-forward layers
  double dropout = 0.1;        // of the feed-forward layers' output
  double mixed_dropout = 0.1;  // of the attention's output
  double epsilon = 1e-12;
  Activation activation = gelu;
};

// Attention, then two linear layers; each with a residual connection and a norm after it.
template <class Attention>
class PostNormBlock : public torch::nn::Module {
 public:
  PostNormBlock(std::shared_ptr<Attention> attention, const BlockShape& shape) : shape_(shape) {
    const auto norm = torch::nn::LayerNormOptions({shape.width}).eps(shape.epsilon);
    attention_ = register_module("self", std::move(attention));
    mix_ = register_module("attention_output", OneLinear(shape.width, shape.width));
    mixed_norm_ = register_module("attention_norm", torch::nn::LayerNorm(norm));
    widen_ = register_module("intermediate", OneLinear(shape.width, shape.inner));
    narrow_ = register_module("output", OneLinear(shape.inner, shape.width));
    norm_ = register_module("output_norm", torch::nn::LayerNorm(norm));
  }

  torch::Tensor forward(const torch::Tensor& x, const typename Attention::Context& context) {
    const torch::Tensor attended = mix_->forward(attention_->forward(x, context));
    const torch::Tensor mixed = mixed_norm_->forward(torch::dropout(attended, shape_.mixed_dropout, is_training()) + x);
    const torch::Tensor fed = narrow_->forward(shape_.activation(widen_->forward(mixed)));
    return norm_->forward(torch::dropout(fed, shape_.dropout, is_training()) + mixed);
  }

 private:
  BlockShape shape_;
  std::shared_ptr<Attention> attention_;
  OneLinear mix_{nullptr}, widen_{nullptr}, narrow_{nullptr};
  torch::nn::LayerNorm mixed_norm_{nullptr}, norm_{nullptr};
};

struct HeadShape {
  std::int64_t in;
  std::int64_t width;  // of the word embeddings
  std::int64_t vocabulary;
  double epsilon = 1e-12;
  Activation activation = gelu;
};

// Scores of all words at each place. The last layer's weight is that of the word embeddings.
class WordHead : public torch::nn::Module {
 public:
  explicit WordHead(const HeadShape& shape);
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& words);

 private:
  Activation activation_;
  torch::Tensor bias_;
  OneLinear dense_{nullptr};
  torch::nn::LayerNorm norm_{nullptr};
};

struct TextShape {
  std::int64_t vocabulary;
  std::int64_t length;
};

// TorchBench's work for Hugging Face's masked language models: random words, and random words to guess, all of them.
template <class Module>
std::unique_ptr<Workload> word_guessing_workload(const Setup& setup, std::shared_ptr<Module> module,
                                                 const TextShape& text) {
  module->to(setup.device);
  const auto random_words = [&] {
    return torch::randint(text.vocabulary, {setup.batch, text.length}, torch::kLong).to(setup.device);
  };
  const torch::Tensor words = random_words(), labels = random_words();

  StandardWorkload::Parts parts;
  parts.module = module;
  parts.forward = [module, words] { return Tensors{module->forward(words)}; };
  parts.loss = [labels](const Tensors& outputs) {
    return at::cross_entropy_loss(outputs[0].view({-1, outputs[0].size(2)}), labels.view(-1));
  };
  parts.optimizer = [](std::vector<torch::Tensor> parameters) { return adam(std::move(parameters), 1e-3); };
  parts.inputs = {words};
  return std::make_unique<StandardWorkload>(setup.mode, std::move(parts));
}

}  // namespace tbci::suite::encoder
