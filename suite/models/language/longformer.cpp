// hf_Longformer: Beltagy et al., Longformer: The Long-Document Transformer (2020), base size, as a masked language
// model of Hugging Face's transformers.
#include <limits>

#include "suite/blocks/sliding_attention.hpp"
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models::longformer {
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
    const auto text = encoder::as_roberta(
        {.vocabulary = shape.vocabulary, .positions = shape.length + 2, .segments = 1, .width = shape.width});
    embeddings_ = register_module("embeddings", std::make_shared<encoder::Embeddings>(text));
    const encoder::BlockShape inner{
        .width = shape.width, .inner = 4 * shape.width, .dropout = 0.1, .mixed_dropout = 0.1, .epsilon = norm_epsilon};
    for (int i = 0; i < shape.layers; ++i) {
      const encoder::SlidingShape sliding{.width = shape.width, .heads = shape.heads, .side = shape.window / 2};
      auto attention = std::make_shared<SlidingAttention>(sliding);
      blocks_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Block>(attention, inner)));
    }
    head_ = register_module(
        "head", std::make_shared<encoder::WordHead>(encoder::HeadShape{
                    .in = shape.width, .width = shape.width, .vocabulary = shape.vocabulary, .epsilon = norm_epsilon}));
    encoder::initialise(*this);
  }

  // Filled up to whole windows. TorchBench asks for no global words.
  torch::Tensor forward(const torch::Tensor& words) {
    const encoder::Filled filled = encoder::fill_up(words, {.multiple = window_, .padding = encoder::roberta_padding});
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
  const bool train = setup.mode == Mode::train;
  const Shape shape = by_size<Shape>(
      setup, {.vocabulary = 50265, .length = 4096, .width = 768, .layers = 12, .heads = 12, .window = 512},
      {.vocabulary = 1000, .length = 256, .width = 32, .layers = 12, .heads = 4, .window = 32});
  // TorchBench takes an eighth of the words for inference on a CPU.
  std::int64_t length = shape.length;
  if (train) length /= 4;
  if (!train && setup.device.is_cpu()) length /= 8;
  return encoder::word_guessing_workload(setup, std::make_shared<Longformer>(shape),
                                         {.vocabulary = shape.vocabulary, .length = length});
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {{.name = "hf_Longformer",
           .domain = "nlp",
           .task = "language modeling",
           .source = "Hugging Face transformers (Longformer)",
           .parameters = 148711257,
           .paper_batch = {.train = 2, .infer = 1},
           .ci_batch = {.train = 4, .infer = 72},
           .make = make}};
}

}  // namespace tbci::suite::models::longformer
