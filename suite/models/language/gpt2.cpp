// hf_public_text_generator1 and hf_public_text_generator1_large: Radford et al., Language Models are Unsupervised
// Multitask Learners (2019): GPT-2, as Hugging Face's transformers has it.
#include "suite/blocks/causal_mask.hpp"
#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/text_workload.hpp"

namespace tbci::suite::models::gpt2 {
namespace {

namespace nn = torch::nn;

constexpr double drop = 0.1;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t positions;
  std::int64_t width;
  std::int64_t layers;
  std::int64_t heads;
};

// A linear layer with a transposed weight: [in, out].
class Projection : public nn::Module {
 public:
  Projection(std::int64_t in, std::int64_t out)
      : out_(out),
        weight_(register_parameter("weight", torch::normal(0.0, 0.02, {in, out}))),
        bias_(register_parameter("bias", torch::zeros({out}))) {}

  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor rows = torch::addmm(bias_, x.view({-1, x.size(-1)}), weight_);
    return rows.view({x.size(0), x.size(1), out_});
  }

 private:
  std::int64_t out_;
  torch::Tensor weight_;
  torch::Tensor bias_;
};

class Block : public nn::Module {
 public:
  explicit Block(const Shape& shape) : heads_(shape.heads) {
    const std::int64_t width = shape.width;
    norm_1_ = register_module("ln_1", nn::LayerNorm(nn::LayerNormOptions({width})));
    attend_ = register_module("c_attn", std::make_shared<Projection>(width, 3 * width));
    mix_ = register_module("c_proj", std::make_shared<Projection>(width, width));
    norm_2_ = register_module("ln_2", nn::LayerNorm(nn::LayerNormOptions({width})));
    widen_ = register_module("mlp_c_fc", std::make_shared<Projection>(width, 4 * width));
    narrow_ = register_module("mlp_c_proj", std::make_shared<Projection>(4 * width, width));
    dropout_ = register_module("dropout", nn::Dropout(drop));
  }

  torch::Tensor forward(torch::Tensor x, const torch::Tensor& mask) {
    x = x + dropout_->forward(attention(norm_1_->forward(x), mask));
    const torch::Tensor wide = gelu_by_tanh(widen_->forward(norm_2_->forward(x)));
    return x + dropout_->forward(narrow_->forward(wide));
  }

 private:
  torch::Tensor attention(const torch::Tensor& x, const torch::Tensor& mask) {
    const auto parts = attend_->forward(x).split(x.size(2), 2);
    Attention attention{split_heads(parts[0], heads_), split_heads(parts[1], heads_), split_heads(parts[2], heads_)};
    attention.mask = mask;
    attention.dropout = is_training() ? drop : 0.0;
    return mix_->forward(join_heads(attend(attention)));
  }

  std::int64_t heads_;
  nn::LayerNorm norm_1_{nullptr}, norm_2_{nullptr};
  std::shared_ptr<Projection> attend_, mix_, widen_, narrow_;
  nn::Dropout dropout_{nullptr};
};

class Gpt2 : public nn::Module {
 public:
  explicit Gpt2(const Shape& shape) {
    words_ = register_module("wte", nn::Embedding(shape.vocabulary, shape.width));
    positions_ = register_module("wpe", nn::Embedding(shape.positions, shape.width));
    nn::init::normal_(words_->weight, 0.0, 0.02);
    nn::init::normal_(positions_->weight, 0.0, 0.02);
    dropout_ = register_module("dropout", nn::Dropout(drop));
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      blocks_.push_back(register_module("h" + std::to_string(i), std::make_shared<Block>(shape)));
    }
    norm_ = register_module("ln_f", nn::LayerNorm(nn::LayerNormOptions({shape.width})));
  }

  // The scores of the next word [batch, length, vocabulary]; the output layer shares the embedding's weight.
  torch::Tensor forward(const torch::Tensor& words) {
    const torch::Tensor places = torch::arange(words.size(1), words.options()).unsqueeze(0);
    torch::Tensor x = dropout_->forward(words_->forward(words) + positions_->forward(places));
    const torch::Tensor mask = causal_mask(places, words.size(0));
    for (const auto& block : blocks_) x = block->forward(x, mask);
    return nn::functional::linear(norm_->forward(x), words_->weight);
  }

 private:
  nn::Embedding words_{nullptr}, positions_{nullptr};
  nn::Dropout dropout_{nullptr};
  std::vector<std::shared_ptr<Block>> blocks_;
  nn::LayerNorm norm_{nullptr};
};

struct Variant {
  Shape shape;
  TextLengths lengths;
};

std::unique_ptr<Workload> workload(const Setup& setup, const Variant& variant) {
  const auto module = std::make_shared<Gpt2>(variant.shape);
  const auto forward = [module](const Guessing& guessing) { return module->forward(guessing.words); };
  return word_guessing_workload(setup, module,
                                {.vocabulary = variant.shape.vocabulary, .length = variant.lengths.of(setup)}, forward,
                                next_word_loss);
}

struct Row {
  std::string name;
  std::int64_t parameters;
  BatchSizes ci_batch;
  Variant paper;
  Variant ci;
};

Benchmark benchmark(const Row& row) {
  const auto make = [row](const Setup& setup) { return workload(setup, by_size(setup, row.paper, row.ci)); };
  return {.name = row.name,
          .domain = "nlp",
          .task = "language modeling",
          .source = "Hugging Face transformers (GPT-2)",
          .parameters = row.parameters,
          .paper_batch = {.train = 4, .infer = 1},
          .ci_batch = row.ci_batch,
          .make = make};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  const TextLengths ci_lengths{.train = 32, .infer = 64, .infer_on_cpu = 64};
  return {
      benchmark({.name = "hf_public_text_generator1",
                 .parameters = 124439808,
                 .ci_batch = {.train = 12, .infer = 20},
                 .paper = {.shape = {.vocabulary = 50257, .positions = 1024, .width = 768, .layers = 12, .heads = 12},
                           .lengths = {.train = 512, .infer = 1024, .infer_on_cpu = 256}},
                 .ci = {.shape = {.vocabulary = 1024, .positions = 64, .width = 96, .layers = 4, .heads = 4},
                        .lengths = ci_lengths}}),
      benchmark({.name = "hf_public_text_generator1_large",
                 .parameters = 774030080,
                 .ci_batch = {.train = 8, .infer = 14},
                 .paper = {.shape = {.vocabulary = 50257, .positions = 1024, .width = 1280, .layers = 36, .heads = 20},
                           .lengths = {.train = 512, .infer = 1024, .infer_on_cpu = 1024}},
                 .ci = {.shape = {.vocabulary = 1024, .positions = 64, .width = 80, .layers = 9, .heads = 5},
                        .lengths = ci_lengths}})};
}

}  // namespace tbci::suite::models::gpt2
