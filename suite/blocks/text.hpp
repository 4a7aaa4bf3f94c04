// Random texts, the losses and the small parts that language models share.
#pragma once

#include <memory>

#include "suite/benchmark.hpp"

namespace tbci::suite {

// Of the texts, as TorchBench has them; it cuts some short on a CPU.
struct TextLengths {
  std::int64_t train;
  std::int64_t infer;
  std::int64_t infer_on_cpu;

  std::int64_t of(const Setup& setup) const {
    if (setup.mode == Mode::train) return train;
    return setup.device.is_cpu() ? infer_on_cpu : infer;
  }
};

constexpr std::int64_t ignored_word = -100;  // of the labels: counts for no loss

torch::Tensor random_words(const Setup& setup, std::int64_t vocabulary, std::int64_t length);

// Cross entropy of scores [batch, length, vocabulary] of the words [batch, length] at the same places.
torch::Tensor word_loss(const torch::Tensor& scores, const torch::Tensor& words);

// The same, each place's scores being those of the next word.
torch::Tensor next_word_loss(const torch::Tensor& scores, const torch::Tensor& words);

// What the decoder sees when it is to say `labels`: the start, then all words but the last.
struct Shift {
  std::int64_t start;
  std::int64_t padding;
};
torch::Tensor shift_right(const torch::Tensor& labels, const Shift& shift);

// The gaussian error linear unit by a hyperbolic tangent, of elementary operators, as GPT-2 has it.
torch::Tensor gelu_by_tanh(const torch::Tensor& x);

// Linear layers and embeddings with weights of this deviation, biases of zero.
void initialise(torch::nn::Module& module, double deviation);

struct Sizes {
  std::int64_t in;
  std::int64_t out;
};
torch::nn::Linear linear_without_bias(const Sizes& sizes);

}  // namespace tbci::suite
