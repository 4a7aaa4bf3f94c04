// hf_BigBird: Zaheer et al., Big Bird: Transformers for Longer Sequences (2020), as a masked language model of Hugging
// Face's transformers with block-sparse attention.
#include "suite/blocks/block_sparse_attention.hpp"
#include "suite/blocks/text.hpp"
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models::big_bird {
namespace {

using encoder::BlockSparseAttention;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t positions;
  std::int64_t width;
  int layers;
  std::int64_t heads;
  std::int64_t block;
};

class BigBird : public torch::nn::Module {
 public:
  explicit BigBird(const Shape& shape) : shape_(shape) {
    encoder::EmbeddingShape text{
        .vocabulary = shape.vocabulary, .positions = shape.positions, .segments = 2, .width = shape.width};
    text.norm_last = true;
    embeddings_ = register_module("embeddings", std::make_shared<encoder::Embeddings>(text));
    encoder::BlockShape inner{.width = shape.width, .inner = 4 * shape.width};
    inner.activation = gelu_by_tanh;
    for (int i = 0; i < shape.layers; ++i) {
      const encoder::BlockSparseShape sparse{.width = shape.width,
                                             .heads = shape.heads,
                                             .block = shape.block,
                                             .random = 3,
                                             .drawn_from = 16 * shape.block};
      auto attention = std::make_shared<BlockSparseAttention>(sparse, static_cast<std::uint32_t>(i));
      blocks_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Block>(attention, inner)));
    }
    pooler_ = register_module("pooler", OneLinear(shape.width, shape.width));
    head_ =
        register_module("head", std::make_shared<encoder::WordHead>(encoder::HeadShape{.in = shape.width,
                                                                                       .width = shape.width,
                                                                                       .vocabulary = shape.vocabulary,
                                                                                       .epsilon = 1e-12,
                                                                                       .activation = gelu_by_tanh}));
    encoder::initialise(*this);
  }

  // The last block is filled up with padding.
  torch::Tensor forward(const torch::Tensor& words) {
    const encoder::Filled filled = encoder::fill_up(words, {.multiple = shape_.block, .padding = 0});
    torch::Tensor x = embeddings_->forward(filled.words);
    const auto context = BlockSparseAttention::masks(filled.real, shape_.block);
    for (const auto& block : blocks_) x = block->forward(x, context);
    torch::tanh(pooler_->forward(x.select(1, 0)));  // unused, as in the original
    if (x.size(1) > words.size(1)) x = x.slice(1, 0, words.size(1));
    return head_->forward(x, embeddings_->words());
  }

 private:
  using Block = encoder::PostNormBlock<BlockSparseAttention>;

  Shape shape_;
  std::shared_ptr<encoder::Embeddings> embeddings_;
  std::vector<std::shared_ptr<Block>> blocks_;
  OneLinear pooler_{nullptr};
  std::shared_ptr<encoder::WordHead> head_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const bool train = setup.mode == Mode::train;
  const Shape shape = by_size<Shape>(
      setup, {.vocabulary = 50358, .positions = 4096, .width = 768, .layers = 12, .heads = 12, .block = 64},
      {.vocabulary = 1000, .positions = 256, .width = 32, .layers = 12, .heads = 4, .block = 4});
  // TorchBench takes a fifth of the 4096 words for inference on a CPU.
  const std::int64_t all = train ? shape.positions / 4 : shape.positions;
  const std::int64_t length = !train && setup.device.is_cpu() ? all / 5 : all;
  return encoder::word_guessing_workload(setup, std::make_shared<BigBird>(shape),
                                         {.vocabulary = shape.vocabulary, .length = length});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "hf_BigBird",
           .domain = "nlp",
           .task = "language modeling",
           .source = "Hugging Face transformers (BigBird)",
           .parameters = 128111286,
           .paper_batch = {.train = 2, .infer = 1},
           .ci_batch = {.train = 2, .infer = 16},
           .make = make,
           .differs = "the random blocks come from another generator of random numbers"}};
}

}  // namespace tbci::suite::models::big_bird
