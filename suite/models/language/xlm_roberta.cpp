// fambench_xlmr: Conneau et al., Unsupervised Cross-lingual Representation Learning at Scale (2019), XLM-R large of
// fairseq, as FAMBench runs it: features of random text, no words guessed. Time comes before batch in the layers.
#include <cmath>

#include "suite/blocks/dot_product_attention.hpp"
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models::xlm_roberta {
namespace {

namespace nn = torch::nn;

// PyTorch's multi-head attention over [length, batch, width], with separate weights and a mask for padded words.
class TimeFirstAttention : public nn::Module {
 public:
  struct Context {
    torch::Tensor padded;  // [batch, length], undefined where no word is
  };

  explicit TimeFirstAttention(const encoder::AttentionShape& shape) : shape_(shape) {
    key_ = register_module("k_proj", OneLinear(shape.width, shape.width));
    value_ = register_module("v_proj", OneLinear(shape.width, shape.width));
    query_ = register_module("q_proj", OneLinear(shape.width, shape.width));
    for (OneLinear* layer : {&key_, &value_, &query_}) nn::init::normal_((*layer)->weight, 0.0, 0.02);
  }

  torch::Tensor forward(const torch::Tensor& x, const Context& context) {
    const std::int64_t length = x.size(0), batch = x.size(1);
    const auto biases = torch::cat({query_->bias, key_->bias, value_->bias}).chunk(3);
    const auto heads = [&](const OneLinear& layer, const torch::Tensor& bias) {
      const torch::Tensor projected = torch::linear(x, layer->weight, bias);
      return projected.view({length, batch * shape_.heads, -1}).transpose(0, 1).view({batch, shape_.heads, length, -1});
    };
    const torch::Tensor query = heads(query_, biases[0]), key = heads(key_, biases[1]);
    const torch::Tensor value = heads(value_, biases[2]);
    Attention attention{query, key, value, bias_of(context, query)};
    attention.dropout = is_training() ? shape_.dropout : 0.0;
    const torch::Tensor mixed = attend(attention);
    return mixed.permute({2, 0, 1, 3}).reshape({length, batch, shape_.width});
  }

 private:
  // What is added to the scores: minus infinity for a padded word.
  static torch::Tensor bias_of(const Context& context, const torch::Tensor& query) {
    if (!context.padded.defined()) return {};
    const torch::Tensor none = torch::zeros(context.padded.sizes(), query.options());
    return none.masked_fill(context.padded, -INFINITY).view({query.size(0), 1, 1, query.size(2)});
  }

  encoder::AttentionShape shape_;
  OneLinear query_{nullptr}, key_{nullptr}, value_{nullptr};
};

struct Shape {
  std::int64_t vocabulary;
  std::int64_t positions;
  std::int64_t width;
  int layers;
  std::int64_t heads;
  std::int64_t length;
};

class XlmRoberta : public nn::Module {
 public:
  explicit XlmRoberta(const Shape& shape) {
    const auto text = encoder::as_roberta(
        {.vocabulary = shape.vocabulary, .positions = shape.positions, .segments = 0, .width = shape.width});
    embeddings_ = register_module("embeddings", std::make_shared<encoder::Embeddings>(text));
    const encoder::BlockShape inner{
        .width = shape.width, .inner = 4 * shape.width, .dropout = 0.1, .mixed_dropout = 0.1, .epsilon = norm_epsilon};
    for (int i = 0; i < shape.layers; ++i) {
      auto attention =
          std::make_shared<TimeFirstAttention>(encoder::AttentionShape{.width = shape.width, .heads = shape.heads});
      blocks_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Block>(attention, inner)));
    }
    // Part of the model, but not used: no words are predicted here.
    head_ = register_module(
        "lm_head",
        std::make_shared<encoder::WordHead>(encoder::HeadShape{
            .in = shape.width, .width = shape.width, .vocabulary = shape.vocabulary, .epsilon = norm_epsilon}));
    encoder::initialise(*this);
  }

  torch::Tensor forward(const torch::Tensor& words) {
    const torch::Tensor padded = words.eq(encoder::roberta_padding), any = padded.any();
    torch::Tensor x = embeddings_->forward(words);
    x = x * (1 - padded.unsqueeze(-1).to(x.scalar_type()) * any.to(x.scalar_type()));
    x = x.transpose(0, 1);
    for (const auto& block : blocks_) {
      x = block->forward(x, {any.item<bool>() ? padded : torch::Tensor()});  // for each layer, as there
    }
    return x.transpose(0, 1);
  }

 private:
  using Block = encoder::PostNormBlock<TimeFirstAttention>;

  static constexpr double norm_epsilon = 1e-5;
  std::shared_ptr<encoder::Embeddings> embeddings_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<encoder::WordHead> head_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(
      setup, {.vocabulary = 250002, .positions = 514, .width = 1024, .layers = 24, .heads = 16, .length = 64},
      {.vocabulary = 1002, .positions = 34, .width = 48, .layers = 24, .heads = 4, .length = 32});
  auto module = std::make_shared<XlmRoberta>(shape);
  module->to(setup.device);
  const std::int64_t drawn = shape.vocabulary - 2;
  const torch::Tensor words = (torch::rand({setup.batch, shape.length}) * drawn).to(torch::kInt).to(setup.device);
  const torch::Tensor wanted = torch::rand({setup.batch, shape.length, shape.width}).to(setup.device);

  return standard_workload(
      setup, {.module = module,
              .forward = [module, words] { return Tensors{module->forward(words)}; },
              // FAMBench's loss takes the places for the classes.
              .loss = [wanted](const Tensors& outputs) { return at::cross_entropy_loss(outputs[0], wanted); },
              .optimizer = use_sgd(0.01),
              .inputs = {words}});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "fambench_xlmr",
           .domain = "nlp",
           .task = "language modeling",
           .source = "facebookresearch/FAMBench (fairseq's xlmr.large)",
           .parameters = 560141458,
           .paper_batch = {.train = 96, .infer = 96},
           .ci_batch = {.train = 6, .infer = 48},
           .make = make}};
}

}  // namespace tbci::suite::models::xlm_roberta
