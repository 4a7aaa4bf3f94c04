// Raffel et al., Exploring the Limits of Transfer Learning with a Unified Text-to-Text Transformer (2019): T5, as
// Hugging Face's transformers has it. The distance of two words, in buckets, is a bias of attention.
#pragma once

#include <memory>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite {

struct T5Shape {
  std::int64_t vocabulary;
  std::int64_t width;
  std::int64_t inner;  // of the feed-forward network
  int layers;          // of the encoder and of the decoder, each
  std::int64_t heads;
  std::int64_t head_width;
};

constexpr std::int64_t t5_buckets = 32;

// The bucket of each distance (of the word looked at from the one that looks). Near ones have their own bucket, far
// ones share; in the encoder half of the buckets are for words to the right, in the decoder none is.
torch::Tensor t5_bucket(const torch::Tensor& distance, bool both_ways);

// The decoder's keys and values for the words so far, in the order of its layers.
struct T5Cache {
  struct Pair {
    torch::Tensor key, value;
  };
  std::vector<Pair> own;
  std::vector<Pair> of_encoder;

  std::int64_t length() const { return own.empty() || !own[0].key.defined() ? 0 : own[0].key.size(2); }
};

// The text that a model generated.
struct T5Text {
  torch::Tensor words;   // [batch, 1 + count], behind the start
  torch::Tensor scores;  // of all words for the last place [batch, vocabulary]
};

class T5Stack;

class T5 : public torch::nn::Module {
 public:
  explicit T5(const T5Shape& shape);

  // The scores of the words [batch, length, vocabulary].
  torch::Tensor forward(const torch::Tensor& words, const torch::Tensor& decoder_words);

  // Generates `count` words (at least one), each the likeliest after those before it.
  T5Text generate(const torch::Tensor& words, std::int64_t count);

 private:
  torch::Tensor decode(const torch::Tensor& words, const torch::Tensor& encoded, T5Cache* cache);

  std::int64_t width_;
  torch::nn::Embedding words_{nullptr};
  std::shared_ptr<T5Stack> encoder_, decoder_;
};

}  // namespace tbci::suite
