// hf_Bert and hf_Bert_large: Devlin et al., BERT (2018); hf_Roberta_base: Conneau et al., Unsupervised Cross-lingual
// Representation Learning at Scale (2019), in its base size; hf_DistilBert: Sanh et al., DistilBERT (2019). All as
// masked language models of Hugging Face's transformers.
#include "suite/blocks/transformer_encoder.hpp"

namespace tbci::suite::models::hf_bert {
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
    encoder::EmbeddingShape text{.vocabulary = shape.vocabulary,
                                 .positions = shape.length + first_place,
                                 .segments = variant.segments,
                                 .width = shape.width};
    text.epsilon = variant.epsilon;
    if (variant.roberta) text = encoder::as_roberta(text);
    embeddings_ = register_module("embeddings", std::make_shared<encoder::Embeddings>(text));
    for (std::int64_t i = 0; i < shape.layers; ++i) {
      auto attention =
          std::make_shared<DenseAttention>(encoder::AttentionShape{.width = shape.width, .heads = shape.heads});
      const encoder::BlockShape inner{.width = shape.width,
                                      .inner = shape.inner,
                                      .dropout = 0.1,
                                      .mixed_dropout = variant.mixed_dropout,
                                      .epsilon = variant.epsilon};
      blocks_.push_back(register_module("layer" + std::to_string(i), std::make_shared<Block>(attention, inner)));
    }
    head_ = register_module(
        "head",
        std::make_shared<encoder::WordHead>(encoder::HeadShape{
            .in = shape.width, .width = shape.width, .vocabulary = shape.vocabulary, .epsilon = variant.epsilon}));
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
    const Shape shape = by_size(setup, sizes.paper, sizes.ci);
    return encoder::word_guessing_workload(setup, std::make_shared<Bert>(shape, variant),
                                           {.vocabulary = shape.vocabulary, .length = shape.length});
  };
}

struct Row {
  std::string name;
  std::string kind;
  std::int64_t parameters;
  BatchSizes paper_batch;
  BatchSizes ci_batch;
  Sizes sizes;
  Variant variant;
};

Benchmark benchmark(const Row& row) {
  return {.name = row.name,
          .domain = "nlp",
          .task = "language modeling",
          .source = "Hugging Face transformers (" + row.kind + ")",
          .parameters = row.parameters,
          .paper_batch = row.paper_batch,
          .ci_batch = row.ci_batch,
          .make = maker(row.sizes, row.variant)};
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  const Variant bert;
  const Variant roberta{.segments = 1, .roberta = true, .epsilon = 1e-5};
  Variant distilled;
  distilled.segments = 0;
  distilled.mixed_dropout = 0.0;
  std::vector<Benchmark> all{
      benchmark(
          {.name = "hf_Bert",
           .kind = "BERT",
           .parameters = 109514298,
           .paper_batch = {.train = 4, .infer = 1},
           .ci_batch = {.train = 6, .infer = 36},
           .sizes =
               {.paper = {.vocabulary = 30522, .length = 512, .width = 768, .layers = 12, .heads = 12, .inner = 3072},
                .ci = {.vocabulary = 1000, .length = 64, .width = 48, .layers = 12, .heads = 4, .inner = 192}},
           .variant = bert}),
      benchmark(
          {.name = "hf_Bert_large",
           .kind = "BERT",
           .parameters = 284818234,
           .paper_batch = {.train = 4, .infer = 1},
           .ci_batch = {.train = 3, .infer = 28},
           .sizes =
               {.paper = {.vocabulary = 30522, .length = 512, .width = 1024, .layers = 24, .heads = 16, .inner = 3072},
                .ci = {.vocabulary = 1000, .length = 64, .width = 48, .layers = 24, .heads = 4, .inner = 144}},
           .variant = bert}),
      benchmark(
          {.name = "hf_DistilBert",
           .kind = "DistilBERT",
           .parameters = 66985530,
           .paper_batch = {.train = 8, .infer = 1},
           .ci_batch = {.train = 10, .infer = 64},
           .sizes =
               {.paper = {.vocabulary = 30522, .length = 512, .width = 768, .layers = 6, .heads = 12, .inner = 3072},
                .ci = {.vocabulary = 1000, .length = 64, .width = 48, .layers = 6, .heads = 4, .inner = 192}},
           .variant = distilled}),
      benchmark(
          {.name = "hf_Roberta_base",
           .kind = "XLM-RoBERTa",
           .parameters = 278295186,
           .paper_batch = {.train = 4, .infer = 1},
           .ci_batch = {.train = 5, .infer = 40},
           .sizes =
               {.paper = {.vocabulary = 250002, .length = 512, .width = 768, .layers = 12, .heads = 12, .inner = 3072},
                .ci = {.vocabulary = 2000, .length = 64, .width = 48, .layers = 12, .heads = 4, .inner = 192}},
           .variant = roberta}),
  };
  all.back().listed = Listed::later;
  return all;
}

}  // namespace tbci::suite::models::hf_bert
