#include "suite/blocks/networks/t5.hpp"

#include <cmath>
#include <limits>

#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/rms_norm.hpp"
#include "suite/blocks/text.hpp"

namespace tbci::suite {

namespace nn = torch::nn;

namespace {

constexpr double drop = 0.1;
constexpr double epsilon = 1e-6;
constexpr std::int64_t farthest = 128;  // all words at least as far share a bucket
constexpr double lowest = std::numeric_limits<float>::lowest();

nn::Linear linear(const Sizes& sizes, double deviation) {
  nn::Linear layer = linear_without_bias(sizes);
  nn::init::normal_(layer->weight, 0.0, deviation);
  return layer;
}

double root(std::int64_t number) {
  return 1.0 / std::sqrt(static_cast<double>(number));
}

// Of a mask [batch, length], one where there is a word: what to add to scores [batch, heads, any, length].
torch::Tensor padding_bias(const torch::Tensor& mask) {
  return (1.0 - mask.unsqueeze(1).unsqueeze(1)) * lowest;
}

// The same for a decoder's words at `places`, which do not look ahead.
torch::Tensor causal_bias(const torch::Tensor& mask, const torch::Tensor& places) {
  const std::int64_t length = mask.size(1);
  torch::Tensor ahead = torch::full({places.size(0), length}, lowest, mask.options());
  if (places.size(0) > 1) ahead = ahead.triu(1);
  ahead *= torch::arange(length, places.options()) > places.view({-1, 1});
  ahead = ahead.unsqueeze(0).unsqueeze(0).expand({mask.size(0), 1, -1, -1}).clone();
  const torch::Tensor padded = (ahead + mask.unsqueeze(1).unsqueeze(1)) == 0.0;
  ahead.copy_(ahead.masked_fill(padded, lowest));
  return ahead;
}

}  // namespace

torch::Tensor t5_bucket(const torch::Tensor& distance, bool both_ways) {
  const std::int64_t buckets = both_ways ? t5_buckets / 2 : t5_buckets;
  const torch::Tensor far = both_ways ? distance.abs() : -torch::minimum(distance, torch::zeros_like(distance));
  const std::int64_t exact = buckets / 2;
  const double growth = std::log(static_cast<double>(farthest) / static_cast<double>(exact));
  torch::Tensor shared = torch::log(far.to(torch::kFloat) / exact) / growth * (buckets - exact);
  shared = exact + shared.to(torch::kLong);
  shared = torch::minimum(shared, torch::full_like(shared, buckets - 1));
  const torch::Tensor bucket = torch::where(far < exact, far, shared);
  return both_ways ? ((distance > 0).to(torch::kLong) * buckets).add_(bucket) : bucket;
}

namespace {

class T5Attention : public nn::Module {
 public:
  struct Options {
    bool decoder;
    bool knows_distances;
  };

  T5Attention(const T5Shape& shape, const Options& options) : heads_(shape.heads), both_ways_(!options.decoder) {
    const std::int64_t inner = shape.heads * shape.head_width;
    query_ = register_module("q", linear({shape.width, inner}, root(shape.width * shape.head_width)));
    key_ = register_module("k", linear({shape.width, inner}, root(shape.width)));
    value_ = register_module("v", linear({shape.width, inner}, root(shape.width)));
    output_ = register_module("o", linear({inner, shape.width}, root(inner)));
    if (!options.knows_distances) return;
    distances_ = register_module("relative_attention_bias", nn::Embedding(t5_buckets, shape.heads));
    nn::init::normal_(distances_->weight, 0.0, root(shape.width));
  }

  // Of words at `places` for each word up to `length` [1, heads, places, length].
  torch::Tensor bias(const torch::Tensor& places, std::int64_t length) {
    if (distances_.is_empty()) {
      return torch::zeros({1, heads_, places.size(0), length}, query_->weight.options().requires_grad(false));
    }
    const torch::Tensor distance = torch::arange(length, places.options()).unsqueeze(0) - places.unsqueeze(1);
    return distances_->forward(t5_bucket(distance, both_ways_)).permute({2, 0, 1}).unsqueeze(0);
  }

  struct Source {
    torch::Tensor states;  // what is looked at
    T5Cache::Pair* cache;  // null: none
    bool grows;            // the cache gets the new words; else what is in it once stays
  };

  torch::Tensor forward(const torch::Tensor& x, const Source& source, const torch::Tensor& bias) {
    const torch::Tensor query = split_heads(query_->forward(x), heads_);
    const T5Cache::Pair seen = keys_and_values(source);
    torch::Tensor scores = torch::matmul(query, seen.key.transpose(2, 3));
    scores += bias;
    const torch::Tensor weights = torch::dropout(torch::softmax(scores, -1), drop, is_training());
    return output_->forward(join_heads(torch::matmul(weights, seen.value)));
  }

 private:
  T5Cache::Pair keys_and_values(const Source& source) {
    T5Cache::Pair* cache = source.cache;
    const bool begun = cache != nullptr && cache->key.defined();
    if (begun && !source.grows) return *cache;
    T5Cache::Pair pair{split_heads(key_->forward(source.states), heads_),
                       split_heads(value_->forward(source.states), heads_)};
    if (begun) pair = {torch::cat({cache->key, pair.key}, 2), torch::cat({cache->value, pair.value}, 2)};
    if (cache != nullptr) *cache = pair;
    return pair;
  }

  std::int64_t heads_;
  bool both_ways_;
  nn::Linear query_{nullptr}, key_{nullptr}, value_{nullptr}, output_{nullptr};
  nn::Embedding distances_{nullptr};
};

}  // namespace

// What the layers of a stack share in one pass.
struct T5Pass {
  torch::Tensor own_bias;
  torch::Tensor encoder_bias;
  torch::Tensor encoded;
  T5Cache* cache;
};

class T5Block : public nn::Module {
 public:
  T5Block(const T5Shape& shape, bool decoder, bool first) {
    own_ = register_module("SelfAttention", std::make_shared<T5Attention>(shape, T5Attention::Options{decoder, first}));
    own_norm_ = register_module("norm_1", std::make_shared<RmsNorm>(shape.width, epsilon));
    if (decoder) {
      cross_ = register_module("EncDecAttention",
                               std::make_shared<T5Attention>(shape, T5Attention::Options{decoder, false}));
      cross_norm_ = register_module("norm_2", std::make_shared<RmsNorm>(shape.width, epsilon));
    }
    widen_ = register_module("wi", linear({shape.width, shape.inner}, root(shape.width)));
    narrow_ = register_module("wo", linear({shape.inner, shape.width}, root(shape.inner)));
    norm_ = register_module("norm_3", std::make_shared<RmsNorm>(shape.width, epsilon));
  }

  torch::Tensor forward(torch::Tensor x, const T5Pass& pass, std::size_t number) {
    T5Cache::Pair* own = pass.cache != nullptr ? &pass.cache->own[number] : nullptr;
    const torch::Tensor normed = own_norm_->forward(x);
    x = x + thinned(own_->forward(normed, {normed, own, true}, pass.own_bias));
    if (cross_) {
      T5Cache::Pair* of_encoder = pass.cache != nullptr ? &pass.cache->of_encoder[number] : nullptr;
      const T5Attention::Source source{pass.encoded, of_encoder, false};
      x = x + thinned(cross_->forward(cross_norm_->forward(x), source, pass.encoder_bias));
    }
    const torch::Tensor wide = thinned(torch::relu(widen_->forward(norm_->forward(x))));
    return x + thinned(narrow_->forward(wide));
  }

  T5Attention& own() { return *own_; }
  T5Attention& cross() { return *cross_; }

 private:
  torch::Tensor thinned(const torch::Tensor& x) const { return torch::dropout(x, drop, is_training()); }

  std::shared_ptr<T5Attention> own_, cross_;
  std::shared_ptr<RmsNorm> own_norm_, cross_norm_, norm_;
  nn::Linear widen_{nullptr}, narrow_{nullptr};
};

class T5Stack : public nn::Module {
 public:
  T5Stack(const T5Shape& shape, bool decoder) {
    for (int i = 0; i < shape.layers; ++i) {
      blocks_.push_back(
          register_module("block" + std::to_string(i), std::make_shared<T5Block>(shape, decoder, i == 0)));
    }
    norm_ = register_module("final_layer_norm", std::make_shared<RmsNorm>(shape.width, epsilon));
  }

  // An encoder where nothing is `encoded`. The first block has the biases, the others use them as well.
  torch::Tensor forward(const torch::Tensor& embedded, const torch::Tensor& encoded = {}, T5Cache* cache = nullptr) {
    const std::int64_t batch = embedded.size(0);
    const auto options = embedded.options().requires_grad(false);
    const std::int64_t past = cache != nullptr ? cache->length() : 0;
    const std::int64_t length = past + embedded.size(1);
    const torch::Tensor places = torch::arange(past, length, options.dtype(torch::kLong));
    const torch::Tensor mask = torch::ones({batch, length}, options);

    T5Pass pass{blocks_[0]->own().bias(places, length), {}, encoded, cache};
    pass.own_bias = pass.own_bias + (encoded.defined() ? causal_bias(mask, places) : padding_bias(mask));
    if (encoded.defined()) {
      const torch::Tensor all = torch::ones({batch, encoded.size(1)}, options);
      pass.encoder_bias = blocks_[0]->cross().bias(places, encoded.size(1)) + padding_bias(all);
    }
    torch::Tensor x = torch::dropout(embedded, drop, is_training());
    for (std::size_t i = 0; i < blocks_.size(); ++i) x = blocks_[i]->forward(x, pass, i);
    return torch::dropout(norm_->forward(x), drop, is_training());
  }

  T5Cache empty_cache() const {
    return {std::vector<T5Cache::Pair>(blocks_.size()), std::vector<T5Cache::Pair>(blocks_.size())};
  }

 private:
  std::vector<std::shared_ptr<T5Block>> blocks_;
  std::shared_ptr<RmsNorm> norm_;
};

T5::T5(const T5Shape& shape) : width_(shape.width) {
  words_ =
      register_module("shared", nn::Embedding(shape.vocabulary, shape.width));  // of deviation 1, as LibTorch has it
  encoder_ = register_module("encoder", std::make_shared<T5Stack>(shape, false));
  decoder_ = register_module("decoder", std::make_shared<T5Stack>(shape, true));
}

torch::Tensor T5::decode(const torch::Tensor& words, const torch::Tensor& encoded, T5Cache* cache) {
  const torch::Tensor decoded = decoder_->forward(words_->forward(words), encoded, cache);
  return nn::functional::linear(decoded * root(width_), words_->weight);
}

torch::Tensor T5::forward(const torch::Tensor& words, const torch::Tensor& decoder_words) {
  return decode(decoder_words, encoder_->forward(words_->forward(words)), nullptr);
}

T5Text T5::generate(const torch::Tensor& words, std::int64_t count) {
  const torch::Tensor encoded = encoder_->forward(words_->forward(words));
  T5Cache cache = decoder_->empty_cache();
  torch::Tensor text = torch::zeros({words.size(0), 1}, words.options()), scores;
  torch::Tensor unfinished = torch::ones({words.size(0)}, words.options());
  bool finished = false;
  while (!finished) {
    scores = decode(text.slice(1, -1), encoded, &cache).select(1, -1);
    text = torch::cat({text, scores.argmax(-1).unsqueeze(1)}, 1);
    // No word ends a text here: all do at the same length. The host asks after each word, as the original does.
    const bool long_enough = text.size(1) > count;
    unfinished = unfinished.bitwise_and(torch::full_like(unfinished, long_enough ? 0 : 1));
    finished = unfinished.max().item<std::int64_t>() == 0;
  }
  return {text, scores};
}

}  // namespace tbci::suite
