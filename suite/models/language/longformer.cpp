// hf_Longformer: Beltagy et al., Longformer: The Long-Document Transformer (2020), base size, as a masked language
// model of Hugging Face's transformers.
#include <limits>

#include "suite/blocks/sliding_attention.hpp"
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models {
namespace {

using encoder::SlidingAttention;

constexpr double norm_epsilon = 1e-5;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t length;  // the most words
  std::int64_t width;
  int layers;
  std::int64_t heads;
  std::int64_t window;
};

class Longformer : public torch::nn::Module {
 public:
  explicit Longformer(const Shape& shape) : window_(shape.window) {
    const auto text = encoder::as_roberta({shape.vocabulary, shape.length + 2, 1, shape.width});
    embeddings_ = register_module("embeddings", std::make_shared<encoder::Embeddings>(text));
    const encoder::BlockShape inner{shape.width, 4 * shape.width, 0.1, 0.1, norm_epsilon};
    for (int i = 0; i < shape.layers; ++i) {
      const encoder::SlidingShape sliding{shape.width, shape.heads, shape.window / 2};
      auto attention = std::make_shared<SlidingAttention>(sliding);
      blocks_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Block>(attention, inner)));
    }
    head_ = register_module("head", std::make_shared<encoder::WordHead>(
                                        encoder::HeadShape{shape.width, shape.width, shape.vocabulary, norm_epsilon}));
    encoder::initialise(*this);
  }

  // Filled up to whole windows. TorchBench asks for no global words.
  torch::Tensor forward(const torch::Tensor& words) {
    const encoder::Filled filled = encoder::fill_up(words, {window_, encoder::roberta_padding});
    torch::Tensor x = embeddings_->forward(filled.words);
    const auto context = SlidingAttention::context((1.0 - filled.real) * std::numeric_limits<float>::lowest());
    for (const auto& block : blocks_) x = block->forward(x, context);
    return head_->forward(x.slice(1, 0, words.size(1)), embeddings_->words());
  }

 private:
  using Block = encoder::PostNormBlock<SlidingAttention>;

  std::int64_t window_;
  std::shared_ptr<encoder::Embeddings> embeddings_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<encoder::WordHead> head_;
};

std::unique_ptr<Workload> make(const Setup& setup) {
  const bool paper = setup.size == Size::paper, train = setup.mode == Mode::train;
  const Shape shape = paper ? Shape{50265, 4096, 768, 12, 12, 512} : Shape{1000, 256, 32, 12, 4, 32};
  // TorchBench takes an eighth of the words for inference on a CPU.
  std::int64_t length = shape.length;
  if (train) length /= 4;
  if (!train && setup.device.is_cpu()) length /= 8;
  return encoder::word_guessing_workload(setup, std::make_shared<Longformer>(shape), {shape.vocabulary, length});
}

}  // namespace

std::vector<Benchmark> longformer() {
  return {{"hf_Longformer",
           "nlp",
           "language modeling",
           "Hugging Face transformers (Longformer)",
           148711257,
           {2, 1},
           {4, 72},
           make}};
}

}  // namespace tbci::suite::models
