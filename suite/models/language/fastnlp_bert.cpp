// fastNLP_Bert: Devlin et al., BERT (2018), in fastNLP's form, looking for the answer to a question in a Chinese text
// (Cui et al., A Span-Extraction Dataset for Chinese Machine Reading Comprehension, 2019). TorchBench's step computes
// the gradients of five batches; its optimizer waits for ten and so never steps.
#include <cmath>

#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/network_workload.hpp"
#include "suite/blocks/optimizers.hpp"
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models::fastnlp_bert {
namespace {

namespace nn = torch::nn;

constexpr std::int64_t padding_word = 0, unknown_word = 1, separator_word = 2;
constexpr int special_pieces = 5;  // of the vocabulary: [UNK], [SEP], [PAD], [CLS], [MASK], in this order

struct Shape {
  std::int64_t characters;  // of the texts
  std::int64_t vocabulary;  // of BERT
  std::int64_t positions;
  std::int64_t width;
  int layers;
  std::int64_t heads;
  std::int64_t context;  // characters of a text in training; one less in inference
  std::int64_t question;
};

double sqrt_of(std::int64_t x) {
  return std::sqrt(static_cast<double>(x));
}

torch::Tensor gelu_by_erf(const torch::Tensor& x) {
  return x * 0.5 * (1.0 + torch::erf(x / std::sqrt(2.0)));
}

// Attention step by step, with a mask that is added to the scores.
class MaskedAttention : public nn::Module {
 public:
  struct Context {
    torch::Tensor mask;  // [batch, 1, 1, length]
  };

  explicit MaskedAttention(const encoder::AttentionShape& shape) : shape_(shape) {
    query_ = register_module("query", OneLinear(shape.width, shape.width));
    key_ = register_module("key", OneLinear(shape.width, shape.width));
    value_ = register_module("value", OneLinear(shape.width, shape.width));
  }

  torch::Tensor forward(const torch::Tensor& x, const Context& context) {
    const torch::Tensor query = split_heads(query_->forward(x), shape_.heads);
    const torch::Tensor key = split_heads(key_->forward(x), shape_.heads);
    const torch::Tensor value = split_heads(value_->forward(x), shape_.heads);
    const torch::Tensor scores = torch::matmul(query, key.transpose(-1, -2)) / sqrt_of(shape_.width / shape_.heads);
    const torch::Tensor weights = torch::softmax(scores + context.mask, -1);
    return encoder::merge_heads(torch::matmul(torch::dropout(weights, shape_.dropout, is_training()), value));
  }

 private:
  encoder::AttentionShape shape_;
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr};
};

class Bert : public nn::Module {
 public:
  explicit Bert(const Shape& shape) {
    embeddings_ = register_module(
        "embeddings",
        std::make_shared<encoder::Embeddings>(encoder::EmbeddingShape{
            .vocabulary = shape.vocabulary, .positions = shape.positions, .segments = 2, .width = shape.width}));
    const encoder::BlockShape inner{.width = shape.width,
                                    .inner = 4 * shape.width,
                                    .dropout = 0.1,
                                    .mixed_dropout = 0.1,
                                    .epsilon = 1e-12,
                                    .activation = gelu_by_erf};
    for (int i = 0; i < shape.layers; ++i) {
      auto attention =
          std::make_shared<MaskedAttention>(encoder::AttentionShape{.width = shape.width, .heads = shape.heads});
      blocks_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Block>(attention, inner)));
    }
    pooler_ = register_module("pooler", OneLinear(shape.width, shape.width));
  }

  // The last layer's output for the pieces. The pooled first piece is computed but not used, as in the original.
  torch::Tensor forward(const torch::Tensor& pieces, const torch::Tensor& segments, const torch::Tensor& real) {
    const torch::Tensor mask = (1.0 - real.unsqueeze(1).unsqueeze(2).to(torch::kFloat)) * -10000.0;
    torch::Tensor x = embeddings_->forward(pieces, segments);
    for (const auto& block : blocks_) x = block->forward(x, {mask});
    torch::tanh(pooler_->forward(x.select(1, 0)));
    return x;
  }

 private:
  using Block = encoder::PostNormBlock<MaskedAttention>;

  std::shared_ptr<encoder::Embeddings> embeddings_;
  std::vector<std::shared_ptr<Block>> blocks_;
  OneLinear pooler_{nullptr};
};

// Words in, pieces of words through BERT, the first piece of each word out: the scores of the answer's ends.
class AnswerFinder : public nn::Module {
 public:
  explicit AnswerFinder(const Shape& shape) {
    // Each word is one piece, somewhere in the vocabulary.
    const std::int64_t words = separator_word + 1 + shape.characters;
    const torch::Tensor pieces = torch::randperm(shape.characters) + special_pieces;
    const torch::Tensor special = torch::tensor({pad_piece, unknown_piece, separator_piece}, torch::kLong);
    pieces_ = register_buffer("pieces", torch::cat({special, pieces}));
    lengths_ = register_buffer("word_pieces_lengths", torch::ones({words}, torch::kLong));
    encoder_ = register_module("encoder", std::make_shared<Bert>(shape));
    ends_ = register_module("qa_outputs", OneLinear(shape.width, 2));
    encoder::initialise(*encoder_);
    dropout_ = register_module("dropout", nn::Dropout(0.5));
    const auto of_word = pieces_.accessor<std::int64_t, 1>();
    for (std::int64_t i = 0; i < words; ++i) piece_of_.push_back(of_word[i]);
  }

  Tensors forward(const torch::Tensor& text) {
    const torch::Tensor words = some_forgotten(text);
    const Pieces pieces = to_pieces(words);
    const torch::Tensor last = encoder_->forward(pieces.numbers, pieces.segments, pieces.real);
    const torch::Tensor scores = ends_->forward(dropout_->forward(first_pieces(last, words, pieces)));
    return {scores.select(2, 0), scores.select(2, 1)};
  }

 private:
  static constexpr std::int64_t unknown_piece = 0, separator_piece = 1, pad_piece = 2, first_piece = 3;

  struct Pieces {
    torch::Tensor lengths;   // of each word, in pieces
    torch::Tensor numbers;   // [batch, pieces]
    torch::Tensor segments;  // which side of the separator
    torch::Tensor real;
    std::int64_t longest;  // without the first piece and the last
  };

  // In training, one word in a hundred becomes the unknown one.
  torch::Tensor some_forgotten(const torch::Tensor& words) const {
    if (!is_training()) return words;
    const torch::Tensor drawn = torch::bernoulli(torch::full_like(words, 0.01, words.options().dtype(torch::kFloat)));
    const torch::Tensor forgotten = words.ne(padding_word).__and__(drawn.eq(1)).__and__(words.ne(separator_word));
    return words.masked_fill(forgotten, unknown_word);
  }

  Pieces to_pieces(const torch::Tensor& words) const {
    const torch::NoGradGuard no_gradients;
    const std::int64_t batch = words.size(0);
    const torch::Tensor real = words.ne(padding_word), counts = real.sum(-1);
    const torch::Tensor lengths = lengths_.index({words}).masked_fill(real.eq(false), 0), all = lengths.sum(-1);
    const auto longest = all.max().item<std::int64_t>();
    const torch::Tensor pieces = words.new_full({batch, longest + 2}, pad_piece), there = torch::zeros_like(pieces);
    const torch::Tensor on_host = words.cpu();
    const auto word = on_host.accessor<std::int64_t, 2>();
    for (std::int64_t i = 0; i < batch; ++i) {
      const auto count = counts[i].item<std::int64_t>();
      std::vector<std::int64_t> row;
      for (std::int64_t j = 0; j < count; ++j) row.push_back(piece_of_[static_cast<std::size_t>(word[i][j])]);
      pieces[i].slice(0, 1, count + 1).copy_(torch::tensor(row, torch::kLong));
      there[i].slice(0, 0, count + 2).fill_(1);
    }
    pieces.select(1, 0).fill_(first_piece);
    pieces.index_put_({torch::arange(batch, words.options()), all + 1},
                      torch::tensor(separator_piece, words.options()));
    const torch::Tensor separators = pieces.eq(separator_piece).to(torch::kLong);
    const torch::Tensor sides = separators.flip({-1}).cumsum(-1).flip({-1}).fmod(2);
    return {lengths, pieces, sides.slice(1, 0, 1).__xor__(sides), there, longest};
  }

  static torch::Tensor first_pieces(const torch::Tensor& last, const torch::Tensor& words, const Pieces& pieces) {
    const std::int64_t batch = words.size(0), length = words.size(1);
    const torch::Tensor outputs = last.new_zeros({1, batch, length, last.size(2)});
    torch::Tensor places = pieces.lengths.new_zeros({batch, length + 1});
    places.slice(1, 1).copy_(pieces.lengths.cumsum(-1));
    places = places.slice(1, 0, words.ne(padding_word).sum(-1).max().item<std::int64_t>());
    places.masked_fill_(places.ge(pieces.longest), 0);
    const torch::Tensor rows = torch::arange(batch, words.options()).unsqueeze(1).expand(places.sizes());
    const torch::Tensor real = words.ne(padding_word).slice(1, 0, places.size(1)).unsqueeze(-1);
    const torch::Tensor found = last.slice(1, 1, -1).index({rows, places}).masked_fill(real.eq(false), 0);
    outputs[0].slice(1, 0, places.size(1)).copy_(found);
    return torch::cat(outputs.unbind(0), -1);
  }

  torch::Tensor pieces_, lengths_;
  std::vector<std::int64_t> piece_of_;  // of a word
  std::shared_ptr<Bert> encoder_;
  OneLinear ends_{nullptr};
  nn::Dropout dropout_{nullptr};
};

// All questions to each of `batch` texts: five in training, four in inference, in batches of that many questions.
class FindAnswers final : public NetworkWorkload<AnswerFinder> {
 public:
  FindAnswers(const Setup& setup, const Shape& shape) : NetworkWorkload(setup, std::make_shared<AnswerFinder>(shape)) {
    context_ = training() ? shape.context : shape.context - 1;
    const auto random = [&](std::int64_t length) {
      return torch::randint(separator_word + 1, separator_word + 1 + shape.characters, {setup.batch, length},
                            torch::kLong);
    };
    for (int i = 0; i < (training() ? 5 : 4); ++i) {
      const torch::Tensor separator = torch::full({setup.batch, 1}, separator_word, torch::kLong);
      batches_.push_back(torch::cat({random(context_), separator, random(shape.question)}, 1).to(setup.device));
    }
    start_ = torch::zeros({setup.batch}, batches_[0].options());
    end_ = torch::full({setup.batch}, answer_length - 1, batches_[0].options());
  }

  Tensors inputs() const override { return batches_; }

 private:
  static constexpr std::int64_t answer_length = 8;  // each answer is at the beginning of the text

  Tensors train() override {
    zero_gradients(network());
    Tensors losses;
    for (const torch::Tensor& words : batches_) {
      torch::Tensor loss = loss_of(network().forward(words)).mean();
      loss.backward();
      losses.push_back(loss.detach());
    }
    return losses;
  }

  Tensors infer() override {
    Tensors last;
    for (const torch::Tensor& words : batches_) last = network().forward(words);
    return last;
  }

  torch::Tensor loss_of(const Tensors& scores) const {
    const std::int64_t batch = scores[0].size(0), length = scores[0].size(1);
    const torch::Tensor place = torch::arange(length, start_.options()).expand({batch, -1});
    const torch::Tensor outside = place.lt(torch::full({batch, 1}, context_, start_.options())).eq(false);
    const auto sum_of = [&](const torch::Tensor& score, const torch::Tensor& wanted) {
      return at::cross_entropy_loss(score.masked_fill(outside, -INFINITY), wanted, {}, at::Reduction::Sum);
    };
    return (sum_of(scores[0], start_) + sum_of(scores[1], end_)) / batch / 2;
  }

  std::int64_t context_;
  Tensors batches_;
  torch::Tensor start_, end_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(setup,
                                     {.characters = 6674,
                                      .vocabulary = 21128,
                                      .positions = 512,
                                      .width = 768,
                                      .layers = 12,
                                      .heads = 12,
                                      .context = 457,
                                      .question = 16},
                                     {.characters = 200,
                                      .vocabulary = 500,
                                      .positions = 64,
                                      .width = 32,
                                      .layers = 12,
                                      .heads = 4,
                                      .context = 31,
                                      .question = 8});
  return std::make_unique<FindAnswers>(setup, shape);
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "fastNLP_Bert",
           .domain = "nlp",
           .task = "language modeling",
           .source = "fastNLP 0.6 (BertForQuestionAnswering)",
           .parameters = 102269186,
           .paper_batch = {.train = 6, .infer = 1},
           .ci_batch = {.train = 1, .infer = 14},
           .make = make}};
}

}  // namespace tbci::suite::models::fastnlp_bert
