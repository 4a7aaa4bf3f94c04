// hf_T5, hf_T5_base and hf_T5_large: Raffel et al., Exploring the Limits of Transfer Learning with a Unified
// Text-to-Text Transformer (2019), the small, base and large size, as Hugging Face's transformers has them.
// hf_T5_generate: the small one writes word after word.
#include "suite/blocks/t5.hpp"

#include "suite/blocks/text_workload.hpp"

namespace tbci::suite::models {
namespace {

struct Variant {
  T5Shape shape;
  TextLengths lengths;
};

std::unique_ptr<Workload> workload(const Setup& setup, const Variant& variant) {
  const auto module = std::make_shared<T5>(variant.shape);
  const bool train = setup.mode == Mode::train;
  const auto forward = [module, train](const Guessing& guessing) {
    return module->forward(guessing.words, train ? shift_right(guessing.labels, {0, 0}) : guessing.words);
  };
  return word_guessing_workload(setup, module, {variant.shape.vocabulary, variant.lengths.of(setup)}, forward);
}

Benchmark benchmark(const std::string& name, std::int64_t parameters, const BatchSizes& paper_batch,
                    const BatchSizes& ci_batch, const Variant& paper, const Variant& ci) {
  const auto make = [paper, ci](const Setup& setup) { return workload(setup, setup.size == Size::paper ? paper : ci); };
  return {name, "nlp", "language modeling", "Hugging Face transformers (T5)", parameters, paper_batch, ci_batch, make};
}

constexpr std::int64_t vocabulary = 32128;
const T5Shape small{vocabulary, 512, 2048, 6, 8, 64};

std::unique_ptr<Workload> generation(const Setup& setup) {
  const bool paper = setup.size == Size::paper;
  const T5Shape shape = paper ? small : T5Shape{1000, 64, 256, 3, 4, 16};
  const std::int64_t length = !paper ? 64 : setup.device.is_cpu() ? 512 : 2048;
  const std::int64_t count = paper ? 256 : 24;
  const auto module = std::make_shared<T5>(shape);
  constexpr std::int64_t first = 1;  // 0 is padding
  return reading_workload(setup, module, {shape.vocabulary, length, first},
                          [module, count](const torch::Tensor& words) {
                            const T5Text text = module->generate(words, count);
                            return Tensors{text.words, text.scores};
                          });
}

}  // namespace

std::vector<Benchmark> t5() {
  return {benchmark("hf_T5", 60506624, {8, 1}, {12, 36}, {small, {1024, 2048, 512}},
                    {{1000, 64, 256, 3, 4, 16}, {32, 64, 64}}),
          benchmark("hf_T5_base", 222903552, {8, 1}, {9, 28}, {{vocabulary, 768, 3072, 12, 12, 64}, {1024, 2048, 2048}},
                    {{1000, 60, 240, 4, 5, 12}, {32, 64, 64}}),
          benchmark("hf_T5_large", 737668096, {2, 1}, {6, 40}, {{vocabulary, 1024, 4096, 24, 16, 64}, {512, 512, 512}},
                    {{1000, 64, 256, 6, 4, 16}, {32, 32, 32}}),
          {"hf_T5_generate",
           "nlp",
           "language modeling",
           "Hugging Face transformers (T5)",
           60506624,
           {1, 1},
           {16, 16},
           generation,
           "",
           {false, true},
           Listed::later}};
}

}  // namespace tbci::suite::models
