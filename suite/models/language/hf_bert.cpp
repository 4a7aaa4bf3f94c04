// hf_Bert and hf_Bert_large: Devlin et al., BERT (2018); hf_Roberta_base: Conneau et al., Unsupervised Cross-lingual
// Representation Learning at Scale (2019), in its base size; hf_DistilBert: Sanh et al., DistilBERT (2019). All as
// masked language models of Hugging Face's transformers.
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models {
namespace {

using encoder::DenseAttention;

struct Shape {
  std::int64_t vocabulary;
  std::int64_t length;
  std::int64_t width;
  std::int64_t layers;
  std::int64_t heads;
  std::int64_t inner;  // of the feed-forward layers
};

struct Variant {
  std::int64_t segments = 2;
  bool roberta = false;  // places are counted as RoBERTa does
  double epsilon = 1e-12;
  double mixed_dropout = 0.1;
};

using Block = encoder::PostNormBlock<DenseAttention>;

class Bert : public torch::nn::Module {
 public:
  Bert(const Shape& shape, const Variant& variant) {
    const std::int64_t first_place = variant.roberta ? 2 : 0;  // places 0 and 1 are never used, or for padding
    encoder::EmbeddingShape text{shape.vocabulary, shape.length + first_place, variant.segments, shape.width};
    text.epsilon = variant.epsilon;
    if (variant.roberta) text = encoder::as_roberta(text);
    embeddings_ = register_module("embeddings", std::make_shared<encoder::Embeddings>(text));
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      auto attention = std::make_shared<DenseAttention>(encoder::AttentionShape{shape.width, shape.heads});
      const encoder::BlockShape inner{shape.width, shape.inner, 0.1, variant.mixed_dropout, variant.epsilon};
      blocks_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Block>(attention, inner)));
    }
    head_ = register_module("head", std::make_shared<encoder::WordHead>(encoder::HeadShape{
                                        shape.width, shape.width, shape.vocabulary, variant.epsilon}));
    encoder::initialise(*this);
  }

  torch::Tensor forward(const torch::Tensor& words) {
    torch::Tensor x = embeddings_->forward(words);
    const auto context = encoder::nothing_padded(words);
    for (const auto& block : blocks_) x = block->forward(x, context);
    return head_->forward(x, embeddings_->words());
  }

 private:
  std::shared_ptr<encoder::Embeddings> embeddings_;
  std::vector<std::shared_ptr<Block>> blocks_;
  std::shared_ptr<encoder::WordHead> head_;
};

struct Sizes {
  Shape paper;
  Shape ci;
};

auto maker(const Sizes& sizes, const Variant& variant) {
  return [sizes, variant](const Setup& setup) {
    const Shape& shape = setup.size == Size::paper ? sizes.paper : sizes.ci;
    return encoder::word_guessing_workload(setup, std::make_shared<Bert>(shape, variant),
                                           {shape.vocabulary, shape.length});
  };
}

Benchmark benchmark(const std::string& name, const std::string& kind, std::int64_t parameters, const BatchSizes& paper,
                    const BatchSizes& ci, const Sizes& sizes, const Variant& variant) {
  return {name,  "nlp", "language modeling",  "Hugging Face transformers (" + kind + ")", parameters,
          paper, ci,    maker(sizes, variant)};
}

}  // namespace

std::vector<Benchmark> hf_bert() {
  const Variant bert;
  const Variant roberta{1, true, 1e-5};
  Variant distilled;
  distilled.segments = 0;
  distilled.mixed_dropout = 0.0;
  std::vector<Benchmark> all{
      benchmark("hf_Bert", "BERT", 109514298, {4, 1}, {6, 36},
                {{30522, 512, 768, 12, 12, 3072}, {1000, 64, 48, 12, 4, 192}}, bert),
      benchmark("hf_Bert_large", "BERT", 284818234, {4, 1}, {3, 28},
                {{30522, 512, 1024, 24, 16, 3072}, {1000, 64, 48, 24, 4, 144}}, bert),
      benchmark("hf_DistilBert", "DistilBERT", 66985530, {8, 1}, {10, 64},
                {{30522, 512, 768, 6, 12, 3072}, {1000, 64, 48, 6, 4, 192}}, distilled),
      benchmark("hf_Roberta_base", "XLM-RoBERTa", 278295186, {4, 1}, {5, 40},
                {{250002, 512, 768, 12, 12, 3072}, {2000, 64, 48, 12, 4, 192}}, roberta),
  };
  all.back().listed = Listed::later;
  return all;
}

}  // namespace tbci::suite::models
