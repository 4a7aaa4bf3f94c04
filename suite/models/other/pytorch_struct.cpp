// pytorch_struct: Rush, Torch-Struct: Deep Structured Prediction Library (2020), its unsupervised grammar: the neural
// context-free grammar of Kim et al., Compound Probabilistic Context-Free Grammars for Grammar Induction (2019),
// trained to make sentences more probable.
#include <algorithm>

#include "suite/blocks/context_free_grammar.hpp"
#include "suite/blocks/network_workload.hpp"
#include "suite/blocks/optimizers.hpp"

namespace tbci::suite::models::pytorch_struct {
namespace {

namespace nn = torch::nn;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t symbols;  // the number of terminals, and of nonterminals
  std::int64_t width;
  std::int64_t length;  // words of the longest sentence
};

class Residual : public nn::Module {
 public:
  explicit Residual(std::int64_t width) {
    for (const char* name : {"u1", "u2", "v1", "v2", "w"}) {
      layers_.push_back(register_module(name, nn::Linear(width, width)));
    }
  }

  torch::Tensor forward(const torch::Tensor& x) {
    torch::Tensor y = layers_[4]->forward(x);
    for (const std::size_t i : {0U, 1U}) {
      y = y + torch::relu(layers_[2 + i]->forward(torch::relu(layers_[i]->forward(y))));
    }
    return y;
  }

 private:
  std::vector<nn::Linear> layers_;
};

class NeuralGrammar : public nn::Module {
 public:
  explicit NeuralGrammar(const Shape& shape) : symbols_(shape.symbols) {
    const std::int64_t all = 2 * symbols_, width = shape.width;
    words_ = register_parameter("word_emb", torch::empty({shape.vocabulary, width}));
    terminals_ = register_parameter("term_emb", torch::empty({symbols_, width}));
    nonterminals_ = register_parameter("nonterm_emb", torch::empty({symbols_, width}));
    children_ = register_parameter("nonterm_emb_c", torch::empty({all, all, width}));
    roots_ = register_parameter("root_emb", torch::empty({symbols_, width}));
    start_ = register_parameter("s_emb", torch::empty({1, width}));
    of_terminals_ = register_module("mlp1", std::make_shared<Residual>(width));
    of_roots_ = register_module("mlp2", std::make_shared<Residual>(width));
    for (torch::Tensor& parameter : parameters()) {
      if (parameter.dim() > 1) nn::init::xavier_uniform_(parameter);
    }
  }

  // `words`: [batch, length]
  GrammarScores forward(const torch::Tensor& words) {
    const std::int64_t batch = words.size(0);
    return {terms(words), rules().expand({batch, -1, -1, -1}), roots().expand({batch, -1})};
  }

 private:
  torch::Tensor terms(const torch::Tensor& words) {
    const std::int64_t batch = words.size(0), length = words.size(1), vocabulary = words_.size(0);
    const torch::Tensor of_words = torch::einsum("vh,th->tv", {words_, of_terminals_->forward(terminals_)});
    const torch::Tensor each = of_words.log_softmax(-1).unsqueeze(0).unsqueeze(0);
    const torch::Tensor index = words.unsqueeze(2).expand({batch, length, symbols_}).unsqueeze(3);
    return torch::gather(each.expand({batch, length, symbols_, vocabulary}), 3, index).squeeze(3);
  }

  torch::Tensor rules() {
    const torch::Tensor scores = torch::einsum("sh,tuh->stu", {nonterminals_, children_});
    return scores.view({symbols_, -1}).log_softmax(-1).view({1, symbols_, 2 * symbols_, 2 * symbols_});
  }

  torch::Tensor roots() {
    return torch::einsum("ah,th->t", {start_, of_roots_->forward(roots_)}).log_softmax(-1).view({1, symbols_});
  }

  std::int64_t symbols_;
  torch::Tensor words_, terminals_, nonterminals_, children_, roots_, start_;
  std::shared_ptr<Residual> of_terminals_, of_roots_;
};

// `batch` counts words: sentences of nearly the same length, padded.
class Grammar final : public NetworkWorkload<NeuralGrammar> {
 public:
  Grammar(const Setup& setup, const Shape& shape) : NetworkWorkload(setup, std::make_shared<NeuralGrammar>(shape)) {
    const std::int64_t sentences = std::max<std::int64_t>(1, setup.batch / shape.length);
    for (std::int64_t i = 0; i < sentences; ++i) lengths_.push_back(shape.length - i % 2);
    torch::Tensor words = torch::randint(2, shape.vocabulary, {sentences, shape.length}, torch::kLong);
    for (std::int64_t i = 0; i < sentences; ++i) {
      words.select(0, i).slice(0, lengths_[static_cast<std::size_t>(i)]).fill_(1);
    }
    words_ = words.to(setup.device);
    if (!training()) return;
    const auto options = torch::optim::AdamOptions(1e-3).betas({0.75, 0.999});
    optimizer_ = std::make_unique<torch::optim::Adam>(parameters(), options);
  }

  Tensors inputs() const override { return {words_, torch::tensor(lengths_)}; }

 private:
  Tensors train() override {
    zero_gradients(*optimizer_);
    const torch::Tensor loss = -log_partition(network().forward(words_), lengths_).mean();
    loss.backward();
    nn::utils::clip_grad_norm_(parameters(), 3.0);
    take_step(*optimizer_);
    return {loss.detach()};
  }

  // The original only trains; this is for a comparison with it.
  Tensors infer() override { return {log_partition(network().forward(words_), lengths_)}; }

  std::unique_ptr<torch::optim::Adam> optimizer_;  // in training only
  torch::Tensor words_;
  std::vector<std::int64_t> lengths_;
};

}  // namespace

std::vector<Benchmark> benchmarks() {
  const auto make = [](const Setup& setup) {
    const Shape shape = by_size<Shape>(setup, {.vocabulary = 5000, .symbols = 30, .width = 256, .length = 15},
                                       {.vocabulary = 200, .symbols = 12, .width = 32, .length = 10});
    return std::make_unique<Grammar>(setup, shape);
  };
  return {{.name = "pytorch_struct",
           .domain = "other",
           .task = "other",
           .source = "harvardnlp/pytorch-struct",
           .parameters = 2882816,
           .paper_batch = {.train = 200, .infer = 200},
           .ci_batch = {.train = 240, .infer = 240},
           .make = make,
           .differs =
               "The vocabulary has 5000 words and sentences have 15, where the original counts them in its treebank.",
           .modes = {.infer = false}}};
}

}  // namespace tbci::suite::models::pytorch_struct
