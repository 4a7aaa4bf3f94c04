#include "suite/learning/learn.hpp"

#include <algorithm>
#include <cmath>

#include <torch/torch.h>

#include "suite/learning/student.hpp"
#include "suite/learning/teacher.hpp"
#include "suite/split_mix.hpp"

namespace tbci::suite::learning {
namespace {

// Small batches and small steps, so that a training is long for its samples: weights that are rounded after each step
// lose those steps that are smaller than their rounding.
constexpr double first_rate = 0.03;
constexpr std::int64_t held_out_samples = 32768;
constexpr std::uint64_t held_out_stream = 1;
constexpr std::int64_t enough_samples = 131072, enough_rows = 4096;

struct Amounts {
  std::int64_t samples, rows;
};

Amounts amounts_of(const Training& training) {
  const Student smallest(1, 0);
  const auto amount = static_cast<double>(training.amount);
  const auto whole = [](double value) { return std::max<std::int64_t>(1, std::llround(value)); };
  if (training.over == "samples") return {training.amount, enough_rows};
  if (training.over == "parameters")
    return {enough_samples, whole(amount / static_cast<double>(smallest.parameters_of_tables()))};
  const double samples = amount / smallest.operations_of_sample();
  // As many rows as that many samples can teach: those of a higher rank come less than a few times.
  return {whole(samples), whole(2 * std::sqrt(samples))};
}

void set_rate(torch::optim::Adagrad& optimizer, double rate) {
  for (auto& group : optimizer.param_groups()) static_cast<torch::optim::AdagradOptions&>(group.options()).lr(rate);
}

void round_weights(const std::vector<torch::Tensor>& weights) {
  const torch::NoGradGuard no_gradients;
  for (const torch::Tensor& one : weights) one.copy_(one.to(torch::kBFloat16));
}

}  // namespace

Trained train(const Training& training) {
  const Amounts amounts = amounts_of(training);
  Student student(amounts.rows, training.seed);
  torch::optim::Adagrad optimizer(student.parameters(), torch::optim::AdagradOptions(first_rate));
  const std::uint64_t stream = SplitMix(training.seed).next();
  for (std::int64_t first = 0; first < amounts.samples; first += batch_of_samples) {
    const auto batch = draw_samples(stream, first, std::min(batch_of_samples, amounts.samples - first));
    set_rate(optimizer, first_rate * (1 - static_cast<double>(first) / static_cast<double>(amounts.samples)));
    optimizer.zero_grad();
    torch::binary_cross_entropy_with_logits(student.forward(batch.dense, batch.ranks), batch.clicked).backward();
    optimizer.step();
    if (training.rounded) round_weights(student.parameters());
  }
  const TaughtSamples held_out = draw_samples(held_out_stream, 0, held_out_samples);
  const torch::NoGradGuard no_gradients;
  return {amounts.samples, student.parameters_of_tables(),
          student.operations_of_sample() * static_cast<double>(amounts.samples),
          loss_of(student.forward(held_out.dense, held_out.ranks), held_out.probability),
          entropy_of(held_out.probability)};
}

}  // namespace tbci::suite::learning
