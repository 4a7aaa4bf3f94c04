// The workloads of language models: random words in place of texts.
#pragma once

#include <functional>
#include <memory>

#include "suite/blocks/standard_workload.hpp"
#include "suite/blocks/text.hpp"

namespace tbci::suite {

struct Texts {
  std::int64_t vocabulary;
  std::int64_t length;
  std::int64_t first = 0;  // the first word that occurs; those before it have a special meaning
};

struct Guessing {
  torch::Tensor words;   // [batch, length]
  torch::Tensor labels;  // likewise: the words to guess
};

// TorchBench's work for Hugging Face's language models: random words, and random words to guess; Adam. `forward`
// returns the scores of the words [batch, length, vocabulary]; `loss` takes these scores and the labels.
std::unique_ptr<Workload> word_guessing_workload(const Setup& setup, const std::shared_ptr<torch::nn::Module>& module,
                                                 const Texts& texts,
                                                 const std::function<torch::Tensor(const Guessing&)>& forward,
                                                 torch::Tensor (*loss)(const torch::Tensor& scores,
                                                                       const torch::Tensor& labels) = word_loss);

// Of a model that only infers.
std::unique_ptr<Workload> reading_workload(const Setup& setup, const std::shared_ptr<torch::nn::Module>& module,
                                           const Texts& texts,
                                           const std::function<Tensors(const torch::Tensor& words)>& forward);

}  // namespace tbci::suite
