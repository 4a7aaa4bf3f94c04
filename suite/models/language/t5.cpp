// hf_T5, hf_T5_base and hf_T5_large: Raffel et al., Exploring the Limits of Transfer Learning with a Unified
// Text-to-Text Transformer (2019), the small, base and large size, as Hugging Face's transformers has them.
// hf_T5_generate: the small one writes word after word.
#include "suite/blocks/networks/t5.hpp"

#include "suite/blocks/text_workload.hpp"

namespace tbci::suite::models::t5 {
namespace {

struct Variant {
  T5Shape shape;
  TextLengths lengths;
};

std::unique_ptr<Workload> workload(const Setup& setup, const Variant& variant) {
  const auto module = std::make_shared<T5>(variant.shape);
  const bool train = setup.mode == Mode::train;
  const auto forward = [module, train](const Guessing& guessing) {
    return module->forward(guessing.words,
                           train ? shift_right(guessing.labels, {.start = 0, .padding = 0}) : guessing.words);
  };
  return word_guessing_workload(setup, module,
                                {.vocabulary = variant.shape.vocabulary, .length = variant.lengths.of(setup)}, forward);
}

struct Row {
  std::string name;
  std::int64_t parameters;
  BatchSizes paper_batch;
  BatchSizes ci_batch;
  Variant paper;
  Variant ci;
};

Benchmark benchmark(const Row& row) {
  const auto make = [row](const Setup& setup) { return workload(setup, by_size(setup, row.paper, row.ci)); };
  return {.name = row.name,
          .domain = "nlp",
          .task = "language modeling",
          .source = "Hugging Face transformers (T5)",
          .parameters = row.parameters,
          .paper_batch = row.paper_batch,
          .ci_batch = row.ci_batch,
          .make = make};
}

constexpr std::int64_t vocabulary = 32128;
const T5Shape small{.vocabulary = vocabulary, .width = 512, .inner = 2048, .layers = 6, .heads = 8, .head_width = 64};

std::unique_ptr<Workload> generation(const Setup& setup) {
  const T5Shape shape = by_size(
      setup, small, T5Shape{.vocabulary = 1000, .width = 64, .inner = 256, .layers = 3, .heads = 4, .head_width = 16});
  const std::int64_t length = by_size(setup, setup.device.is_cpu() ? 512 : 2048, 64);
  const std::int64_t count = by_size(setup, 256, 24);
  const auto module = std::make_shared<T5>(shape);
  constexpr std::int64_t first = 1;  // 0 is padding
  return reading_workload(setup, module, {.vocabulary = shape.vocabulary, .length = length, .first = first},
                          [module, count](const torch::Tensor& words) {
                            const T5Text text = module->generate(words, count);
                            return Tensors{text.words, text.scores};
                          });
}

}  // namespace

std::vector<Benchmark> benchmarks() {
  return {
      benchmark(
          {.name = "hf_T5",
           .parameters = 60506624,
           .paper_batch = {.train = 8, .infer = 1},
           .ci_batch = {.train = 12, .infer = 36},
           .paper = {.shape = small, .lengths = {.train = 1024, .infer = 2048, .infer_on_cpu = 512}},
           .ci = {.shape = {.vocabulary = 1000, .width = 64, .inner = 256, .layers = 3, .heads = 4, .head_width = 16},
                  .lengths = {.train = 32, .infer = 64, .infer_on_cpu = 64}}}),
      benchmark(
          {.name = "hf_T5_base",
           .parameters = 222903552,
           .paper_batch = {.train = 8, .infer = 1},
           .ci_batch = {.train = 9, .infer = 28},
           .paper = {.shape = {.vocabulary = vocabulary,
                               .width = 768,
                               .inner = 3072,
                               .layers = 12,
                               .heads = 12,
                               .head_width = 64},
                     .lengths = {.train = 1024, .infer = 2048, .infer_on_cpu = 2048}},
           .ci = {.shape = {.vocabulary = 1000, .width = 60, .inner = 240, .layers = 4, .heads = 5, .head_width = 12},
                  .lengths = {.train = 32, .infer = 64, .infer_on_cpu = 64}}}),
      benchmark(
          {.name = "hf_T5_large",
           .parameters = 737668096,
           .paper_batch = {.train = 2, .infer = 1},
           .ci_batch = {.train = 6, .infer = 40},
           .paper = {.shape = {.vocabulary = vocabulary,
                               .width = 1024,
                               .inner = 4096,
                               .layers = 24,
                               .heads = 16,
                               .head_width = 64},
                     .lengths = {.train = 512, .infer = 512, .infer_on_cpu = 512}},
           .ci = {.shape = {.vocabulary = 1000, .width = 64, .inner = 256, .layers = 6, .heads = 4, .head_width = 16},
                  .lengths = {.train = 32, .infer = 32, .infer_on_cpu = 32}}}),
      {.name = "hf_T5_generate",
       .domain = "nlp",
       .task = "language modeling",
       .source = "Hugging Face transformers (T5)",
       .parameters = 60506624,
       .paper_batch = {.train = 1, .infer = 1},
       .ci_batch = {.train = 16, .infer = 16},
       .make = generation,
       .modes = {.train = false},
       .listed = Listed::later}};
}

}  // namespace tbci::suite::models::t5
