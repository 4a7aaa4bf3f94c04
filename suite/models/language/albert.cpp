// hf_Albert: Lan et al., ALBERT: A Lite BERT (2019), base size, version 2, as a masked language model of Hugging Face's
// transformers. All layers are one block, and the word embeddings are narrower than the layers.
#include "suite/blocks/text.hpp"
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models::albert {
namespace {

using encoder::DenseAttention;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t length;
  std::int64_t narrow;  // width of the embeddings
  std::int64_t width;
  int layers;
  std::int64_t heads;
};

class Albert : public torch::nn::Module {
 public:
  explicit Albert(const Shape& shape) : layers_(shape.layers) {
    encoder::EmbeddingShape text{
        .vocabulary = shape.vocabulary, .positions = shape.length, .segments = 2, .width = shape.narrow};
    text.dropout = 0.0;
    embeddings_ = register_module("embeddings", std::make_shared<encoder::Embeddings>(text));
    widen_ = register_module("mapping_in", OneLinear(shape.narrow, shape.width));
    auto attention = std::make_shared<DenseAttention>(
        encoder::AttentionShape{.width = shape.width, .heads = shape.heads, .dropout = 0.0});
    const encoder::BlockShape inner{.width = shape.width,
                                    .inner = 4 * shape.width,
                                    .dropout = 0.0,
                                    .mixed_dropout = 0.0,
                                    .epsilon = 1e-12,
                                    .activation = gelu_by_tanh};
    block_ = register_module("layer", std::make_shared<Block>(attention, inner));
    head_ =
        register_module("head", std::make_shared<encoder::WordHead>(encoder::HeadShape{.in = shape.width,
                                                                                       .width = shape.narrow,
                                                                                       .vocabulary = shape.vocabulary,
                                                                                       .epsilon = 1e-12,
                                                                                       .activation = gelu_by_tanh}));
    encoder::initialise(*this);
  }

  torch::Tensor forward(const torch::Tensor& words) {
    torch::Tensor x = embeddings_->forward(words);
    const auto context = encoder::nothing_padded(words);
    x = widen_->forward(x);
    for (int i = 0; i < layers_; ++i) x = block_->forward(x, context);
    return head_->forward(x, embeddings_->words());
  }

 private:
  using Block = encoder::PostNormBlock<DenseAttention>;

  int layers_;
  std::shared_ptr<encoder::Embeddings> embeddings_;
  OneLinear widen_{nullptr};
  std::shared_ptr<Block> block_;
  std::shared_ptr<encoder::WordHead> head_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const Shape shape = by_size<Shape>(
      setup, {.vocabulary = 30000, .length = 512, .narrow = 128, .width = 768, .layers = 12, .heads = 12},
      {.vocabulary = 1000, .length = 64, .narrow = 24, .width = 48, .layers = 12, .heads = 4});
  return encoder::word_guessing_workload(setup, std::make_shared<Albert>(shape),
                                         {.vocabulary = shape.vocabulary, .length = shape.length});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "hf_Albert",
           .domain = "nlp",
           .task = "language modeling",
           .source = "Hugging Face transformers (ALBERT)",
           .parameters = 11221680,
           .paper_batch = {.train = 8, .infer = 1},
           .ci_batch = {.train = 10, .infer = 32},
           .make = make}};
}

}  // namespace tbci::suite::models::albert
