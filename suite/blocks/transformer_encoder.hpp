// What BERT and its kin share: learned positions, post-norm blocks around any attention, a head that guesses words.
#pragma once

#include <memory>

#include "suite/blocks/linear.hpp"
#include "suite/blocks/text_workload.hpp"

namespace tbci::suite::encoder {

using Activation = torch::Tensor (*)(const torch::Tensor&);

torch::Tensor gelu(const torch::Tensor& x);

// Linear layers and embeddings from a normal distribution, no biases, as BERT starts.
void initialise(torch::nn::Module& module);  // all its parts

// As join_heads, by a copy and a view.
torch::Tensor merge_heads(const torch::Tensor& x);

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

// Words filled up to whole blocks.
struct Filled {
  torch::Tensor words;
  torch::Tensor real;  // 1 where a word is, 0 where it was filled up
};

struct Filling {
  std::int64_t multiple;
  std::int64_t padding;  // the word to fill up with
};
Filled fill_up(const torch::Tensor& words, const Filling& filling);

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

// As RoBERTa has them.
constexpr std::int64_t roberta_padding = 1;
EmbeddingShape as_roberta(EmbeddingShape shape);

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

// Scores of all words at each place. The last layer shares the weight of the word embeddings.
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

// Cross entropy of scores [batch, length, vocabulary] of the words at the same places; all of them count.
torch::Tensor flat_word_loss(const torch::Tensor& scores, const torch::Tensor& labels);

// The workload of a masked language model.
template <class Module>
std::unique_ptr<Workload> word_guessing_workload(const Setup& setup, const std::shared_ptr<Module>& module,
                                                 const Texts& texts) {
  const auto forward = [module](const Guessing& guessing) { return module->forward(guessing.words); };
  return suite::word_guessing_workload(setup, module, texts, forward, flat_word_loss);
}

}  // namespace tbci::suite::encoder
