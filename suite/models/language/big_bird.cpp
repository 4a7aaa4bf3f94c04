// hf_BigBird: Zaheer et al., Big Bird: Transformers for Longer Sequences (2020), as a masked language model of Hugging
// Face's transformers with block-sparse attention.
#include "suite/blocks/block_sparse_attention.hpp"
#include "suite/blocks/text.hpp"
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models {
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
    encoder::EmbeddingShape text{shape.vocabulary, shape.positions, 2, shape.width};
    text.norm_last = true;
    embeddings_ = register_module("embeddings", std::make_shared<encoder::Embeddings>(text));
    encoder::BlockShape inner{shape.width, 4 * shape.width};
    inner.activation = gelu_by_tanh;
    for (int i = 0; i < shape.layers; ++i) {
      const encoder::BlockSparseShape sparse{shape.width, shape.heads, shape.block, 3, 16 * shape.block};
      auto attention = std::make_shared<BlockSparseAttention>(sparse, static_cast<std::uint32_t>(i));
      blocks_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Block>(attention, inner)));
    }
    pooler_ = register_module("pooler", OneLinear(shape.width, shape.width));
    head_ = register_module("head", std::make_shared<encoder::WordHead>(encoder::HeadShape{
                                        shape.width, shape.width, shape.vocabulary, 1e-12, gelu_by_tanh}));
    encoder::initialise(*this);
  }

  // The last block is filled up with padding.
  torch::Tensor forward(const torch::Tensor& words) {
    const encoder::Filled filled = encoder::fill_up(words, {shape_.block, 0});
    torch::Tensor x = embeddings_->forward(filled.words);
    const auto context = BlockSparseAttention::masks(filled.real, shape_.block);
    for (const auto& block : blocks_) x = block->forward(x, context);
    torch::tanh(pooler_->forward(x.select(1, 0)));  // for nobody, as in the original
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
  const bool paper = setup.size == Size::paper, train = setup.mode == Mode::train;
  const Shape shape = paper ? Shape{50358, 4096, 768, 12, 12, 64} : Shape{1000, 256, 32, 12, 4, 4};
  // TorchBench takes a fifth of the 4096 words for inference on a CPU.
  const std::int64_t all = train ? shape.positions / 4 : shape.positions;
  const std::int64_t length = !train && setup.device.is_cpu() ? all / 5 : all;
  return encoder::word_guessing_workload(setup, std::make_shared<BigBird>(shape), {shape.vocabulary, length});
}

}  // namespace

std::vector<Benchmark> big_bird() {
  return {{"hf_BigBird",
           "nlp",
           "language modeling",
           "Hugging Face transformers (BigBird)",
           128111286,
           {2, 1},
           {2, 16},
           make,
           "the random blocks come from another generator of random numbers"}};
}

}  // namespace tbci::suite::models
