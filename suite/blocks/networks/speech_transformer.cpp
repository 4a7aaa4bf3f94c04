#include "suite/blocks/networks/speech_transformer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "suite/blocks/position_codes.hpp"

namespace tbci::suite {
namespace {

namespace nn = torch::nn;

constexpr double drop = 0.1;
constexpr std::int64_t most_places = 5000;  // of frames or characters

// 1 where there is a frame, 0 after the end of each sequence: [batch, frames, 1].
torch::Tensor present_frames(const torch::Tensor& frames, const torch::Tensor& lengths) {
  torch::Tensor present = frames.new_ones({frames.size(0), frames.size(1)});
  for (std::int64_t i = 0; i < frames.size(0); ++i) {
    present.select(0, i).slice(0, lengths.select(0, i).item<std::int64_t>()).fill_(0);
  }
  return present.unsqueeze(-1);
}

// For each of `looking` places: true where a frame is padding.
torch::Tensor hidden_frames(const torch::Tensor& frames, const torch::Tensor& lengths, std::int64_t looking) {
  const torch::Tensor absent = present_frames(frames, lengths).squeeze(-1) < 1;
  return absent.unsqueeze(1).expand({-1, looking, -1});
}

// Nobody may look at what comes later.
torch::Tensor later(const torch::Tensor& words) {
  const std::int64_t length = words.size(1);
  const auto bytes = torch::TensorOptions().dtype(torch::kByte).device(words.device());
  return torch::triu(torch::ones({length, length}, bytes), 1).unsqueeze(0).expand({words.size(0), -1, -1});
}

torch::Tensor padded(const Tensors& rows, std::int64_t filler) {
  std::int64_t longest = 0;
  for (const torch::Tensor& row : rows) longest = std::max(longest, row.size(0));
  torch::Tensor all = rows[0].new_empty({static_cast<std::int64_t>(rows.size()), longest}).fill_(filler);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    all.select(0, static_cast<std::int64_t>(i)).slice(0, 0, rows[i].size(0)).copy_(rows[i]);
  }
  return all;
}

class SpeechAttention : public nn::Module {
 public:
  explicit SpeechAttention(const SpeechTransformerShape& shape) : heads_(shape.heads) {
    query_ = register_module("w_qs", OneLinear(shape.width, shape.width));
    key_ = register_module("w_ks", OneLinear(shape.width, shape.width));
    value_ = register_module("w_vs", OneLinear(shape.width, shape.width));
    norm_ = register_module("layer_norm", nn::LayerNorm(nn::LayerNormOptions({shape.width})));
    output_ = register_module("fc", OneLinear(shape.width, shape.width));
  }

  // `x` looks at `at`, but not where `hidden`.
  torch::Tensor forward(const torch::Tensor& x, const torch::Tensor& at, const torch::Tensor& hidden) {
    const torch::Tensor query = split(query_->forward(x));
    const torch::Tensor key = split(key_->forward(at));
    const torch::Tensor value = split(value_->forward(at));
    torch::Tensor weights = torch::bmm(query, key.transpose(1, 2)) / std::sqrt(static_cast<double>(query.size(2)));
    if (hidden.defined()) {
      const torch::Tensor of_heads = hidden.repeat({heads_, 1, 1}).to(torch::kBool);
      weights = weights.masked_fill(of_heads, -std::numeric_limits<double>::infinity());
    }
    weights = torch::dropout(torch::softmax(weights, 2), drop, is_training());
    const torch::Tensor mixed = torch::bmm(weights, value)
                                    .view({heads_, x.size(0), x.size(1), query.size(2)})
                                    .permute({1, 2, 0, 3})
                                    .contiguous()
                                    .view({x.size(0), x.size(1), -1});
    return norm_->forward(torch::dropout(output_->forward(mixed), drop, is_training()) + x);
  }

 private:
  // [batch, length, width] to [heads * batch, length, width / heads]
  torch::Tensor split(const torch::Tensor& x) const {
    const std::int64_t length = x.size(1), width = x.size(2) / heads_;
    return x.view({x.size(0), length, heads_, width}).permute({2, 0, 1, 3}).contiguous().view({-1, length, width});
  }

  std::int64_t heads_;
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr};
  nn::LayerNorm norm_{nullptr};
  OneLinear output_{nullptr};
};

class FeedForward : public nn::Module {
 public:
  explicit FeedForward(const SpeechTransformerShape& shape) {
    widen_ = register_module("w_1", OneLinear(shape.width, shape.inner));
    narrow_ = register_module("w_2", OneLinear(shape.inner, shape.width));
    norm_ = register_module("layer_norm", nn::LayerNorm(nn::LayerNormOptions({shape.width})));
  }

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor y = narrow_->forward(torch::relu(widen_->forward(x)));
    return norm_->forward(torch::dropout(y, drop, is_training()) + x);
  }

 private:
  OneLinear widen_{nullptr}, narrow_{nullptr};
  nn::LayerNorm norm_{nullptr};
};

}  // namespace

class SpeechTransformerLayer : public nn::Module {
 public:
  SpeechTransformerLayer(const SpeechTransformerShape& shape, bool decodes) {
    self_ = register_module("slf_attn", std::make_shared<SpeechAttention>(shape));
    if (decodes) encoder_ = register_module("enc_attn", std::make_shared<SpeechAttention>(shape));
    feed_ = register_module("pos_ffn", std::make_shared<FeedForward>(shape));
  }

  torch::Tensor forward(torch::Tensor x, const Masks& masks) {
    x = self_->forward(x, x, masks.hidden).mul_(masks.present);
    return feed_->forward(x).mul_(masks.present);
  }

  torch::Tensor forward(torch::Tensor x, const Masks& masks, const torch::Tensor& encoded,
                        const torch::Tensor& hidden) {
    x = self_->forward(x, x, masks.hidden).mul_(masks.present);
    x = encoder_->forward(x, encoded, hidden).mul_(masks.present);
    return feed_->forward(x).mul_(masks.present);
  }

 private:
  std::shared_ptr<SpeechAttention> self_;
  std::shared_ptr<SpeechAttention> encoder_;  // in the decoder only
  std::shared_ptr<FeedForward> feed_;
};

SpeechEncoder::SpeechEncoder(const SpeechTransformerShape& shape) {
  linear_ = register_module("linear_in", OneLinear(shape.frame, shape.width));
  norm_ = register_module("layer_norm_in", nn::LayerNorm(nn::LayerNormOptions({shape.width})));
  positions_ = register_buffer("pe", position_codes({most_places, shape.width}));
  for (int i = 0; i < shape.layers; ++i) {
    layers_.push_back(
        register_module("layer" + std::to_string(i), std::make_shared<SpeechTransformerLayer>(shape, false)));
  }
}

torch::Tensor SpeechEncoder::forward(const torch::Tensor& frames, const torch::Tensor& lengths) {
  const Masks masks{present_frames(frames, lengths), hidden_frames(frames, lengths, frames.size(1))};
  torch::Tensor x = norm_->forward(linear_->forward(frames)) + positions_.slice(1, 0, frames.size(1));
  x = torch::dropout(x, drop, is_training());
  for (const auto& layer : layers_) x = layer->forward(x, masks);
  return x;
}

SpeechDecoder::SpeechDecoder(const SpeechTransformerShape& shape)
    : scale_(std::sqrt(static_cast<double>(shape.width))) {
  words_ = register_module("tgt_word_emb", nn::Embedding(shape.vocabulary, shape.width));
  positions_ = register_buffer("pe", position_codes({most_places, shape.width}));
  for (int i = 0; i < shape.layers; ++i) {
    layers_.push_back(
        register_module("layer" + std::to_string(i), std::make_shared<SpeechTransformerLayer>(shape, true)));
  }
}

torch::Tensor SpeechDecoder::decode(const torch::Tensor& words, const torch::Tensor& encoded, const Masks& self,
                                    const torch::Tensor& hidden) {
  torch::Tensor x = words_->forward(words) * scale_ + positions_.slice(1, 0, words.size(1));
  x = torch::dropout(x, drop, is_training());
  for (const auto& layer : layers_) x = layer->forward(x, self, encoded, hidden);
  return x;
}

SpeechDecoder::Prediction SpeechDecoder::forward(const torch::Tensor& targets, const torch::Tensor& encoded,
                                                 const torch::Tensor& lengths) {
  const torch::Tensor first = targets.new_full({1}, start), last = targets.new_full({1}, end);
  Tensors given, wanted;
  for (const torch::Tensor& target : targets.unbind(0)) {
    const torch::Tensor text = target.index({target != ignored});
    given.push_back(torch::cat({first, text}));
    wanted.push_back(torch::cat({text, last}));
  }
  const torch::Tensor words = padded(given, end);

  const torch::Tensor padding = (words == end).unsqueeze(1).expand({-1, words.size(1), -1});
  const Masks self{(words != end).to(torch::kFloat).unsqueeze(-1), (padding + later(words)) > 0};
  const torch::Tensor x = decode(words, encoded, self, hidden_frames(encoded, lengths, words.size(1)));
  return {torch::linear(x, words_->weight), padded(wanted, ignored)};
}

torch::Tensor SpeechDecoder::next_scores(const torch::Tensor& words, const torch::Tensor& encoded) {
  const Masks self{torch::ones_like(words).to(torch::kFloat).unsqueeze(-1), later(words)};
  const torch::Tensor x = decode(words, encoded, self, {});
  return torch::log_softmax(torch::linear(x.select(1, -1), words_->weight), 1);
}

namespace {

struct Hypothesis {
  torch::Tensor score;  // the sum of the logarithms of its characters' probabilities
  torch::Tensor words;  // [1, length]
};

void keep_best(std::vector<Hypothesis>& all, std::size_t count) {
  std::stable_sort(all.begin(), all.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return (a.score > b.score).item<bool>(); });
  if (all.size() > count) all.resize(count);
}

torch::Tensor followed_by(const torch::Tensor& words, std::int64_t word) {
  torch::Tensor longer = torch::ones({1, words.size(1) + 1}, words.options());
  longer.slice(1, 0, words.size(1)).copy_(words);
  longer.select(1, words.size(1)).fill_(word);
  return longer;
}

}  // namespace

Tensors SpeechDecoder::recognise(const torch::Tensor& encoded, const Beam& beam) {
  const auto whole = torch::TensorOptions().dtype(torch::kLong).device(encoded.device());
  const auto width = static_cast<std::size_t>(beam.width);
  std::vector<Hypothesis> going{{torch::zeros({}, encoded.options()), torch::full({1, 1}, start, whole)}};
  std::vector<Hypothesis> ended;
  for (std::int64_t i = 0; i < beam.longest && !going.empty(); ++i) {
    std::vector<Hypothesis> kept;
    for (const Hypothesis& hypothesis : going) {
      const auto [scores, words] = torch::topk(next_scores(hypothesis.words, encoded), beam.width, 1);
      for (std::int64_t j = 0; j < beam.width; ++j) {
        const auto word = words.select(0, 0).select(0, j).item<std::int64_t>();
        kept.push_back({hypothesis.score + scores.select(0, 0).select(0, j), followed_by(hypothesis.words, word)});
      }
      keep_best(kept, width);
    }
    going.clear();
    for (Hypothesis& hypothesis : kept) {
      if (i == beam.longest - 1) {  // so that something has ended
        hypothesis.words = torch::cat({hypothesis.words, torch::full({1, 1}, end, whole)}, 1);
      }
      const bool over = (hypothesis.words.select(0, 0).select(0, -1) == end).item<bool>();
      (over ? ended : going).push_back(hypothesis);
    }
  }
  keep_best(ended, 1);
  return {ended[0].score, ended[0].words.select(0, 0).cpu()};
}

SpeechTransformer::SpeechTransformer(const SpeechTransformerShape& shape) {
  encoder_ = register_module("encoder", std::make_shared<SpeechEncoder>(shape));
  decoder_ = register_module("decoder", std::make_shared<SpeechDecoder>(shape));
  for (torch::Tensor& parameter : parameters()) {
    if (parameter.dim() > 1) nn::init::xavier_uniform_(parameter);
  }
}

}  // namespace tbci::suite
