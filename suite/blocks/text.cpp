#include "suite/blocks/text.hpp"

#include <cmath>

namespace tbci::suite {

torch::Tensor random_words(const Setup& setup, std::int64_t vocabulary, std::int64_t length) {
  return torch::randint(vocabulary, {setup.batch, length}, torch::kLong).to(setup.device);
}

torch::Tensor word_loss(const torch::Tensor& scores, const torch::Tensor& words) {
  const auto ignore = torch::nn::functional::CrossEntropyFuncOptions().ignore_index(ignored_word);
  return torch::nn::functional::cross_entropy(scores.view({-1, scores.size(-1)}), words.reshape({-1}), ignore);
}

torch::Tensor next_word_loss(const torch::Tensor& scores, const torch::Tensor& words) {
  return word_loss(scores, torch::constant_pad_nd(words, {0, 1}, ignored_word).slice(1, 1));
}

torch::Tensor shift_right(const torch::Tensor& labels, const Shift& shift) {
  torch::Tensor shifted = torch::zeros_like(labels);
  shifted.slice(1, 1).copy_(labels.slice(1, 0, -1));
  shifted.select(1, 0).fill_(shift.start);
  return shifted.masked_fill_(shifted == ignored_word, shift.padding);
}

torch::Tensor gelu_by_tanh(const torch::Tensor& x) {
  const double factor = std::sqrt(2.0 / 3.14159265358979323846);
  return 0.5 * x * (1.0 + torch::tanh(factor * (x + 0.044715 * torch::pow(x, 3.0))));
}

void initialise(torch::nn::Module& module, double deviation) {
  for (const auto& part : module.modules(false)) {
    if (auto* linear = part->as<torch::nn::Linear>()) {
      torch::nn::init::normal_(linear->weight, 0.0, deviation);
      if (linear->bias.defined()) torch::nn::init::zeros_(linear->bias);
    } else if (auto* embedding = part->as<torch::nn::Embedding>()) {
      torch::nn::init::normal_(embedding->weight, 0.0, deviation);
    }
  }
}

torch::nn::Linear linear_without_bias(const Sizes& sizes) {
  return torch::nn::Linear(torch::nn::LinearOptions(sizes.in, sizes.out).bias(false));
}

}  // namespace tbci::suite
