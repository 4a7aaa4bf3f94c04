// Clicks whose probabilities are known: what a click model learns from, and what its loss is compared with. A sample
// asks for a row of each table and has some dense numbers; the logarithm of its odds is a sum of what each of them
// adds. The row of rank r or more is asked for with probability 1/r: a few rows get most lookups, and each new sample
// may bring a row that was never seen, so that neither the samples nor the rows of a model are ever enough.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

namespace tbci::suite::learning {

inline constexpr std::int64_t teacher_tables = 4, teacher_dense = 4;

struct TaughtSamples {
  torch::Tensor dense;        // [samples, teacher_dense], from -1 to 1
  torch::Tensor ranks;        // [teacher_tables, samples], from 0: the most frequent row first
  torch::Tensor probability;  // [samples] of a click, double
  torch::Tensor clicked;      // [samples, 1], 0 or 1, drawn with that probability
};

// Sample `first` and those after it, of a stream of samples that is the same with each LibTorch. All streams have the
// same probabilities.
TaughtSamples draw_samples(std::uint64_t stream, std::int64_t first, std::int64_t count);

// Nats for each sample, on average: what is left to a model that knows the probabilities.
double entropy_of(const torch::Tensor& probability);

// Nats for each sample that a model loses whose odds have these logarithms, [samples, 1]: the mean over both outcomes
// of a sample, by its probability, as that has less noise than one outcome drawn.
double loss_of(const torch::Tensor& log_odds, const torch::Tensor& probability);

}  // namespace tbci::suite::learning
