// One training of the click model.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::suite::learning {

// What is varied; the other two follow (docs/worker-protocol.md).
inline constexpr std::string_view all_ways[] = {"samples", "parameters", "compute"};

inline constexpr std::int64_t batch_of_samples = 16;

struct Training {
  std::string over;         // one of all_ways
  std::int64_t amount = 1;  // of it: samples, parameters of the tables, or floating-point operations
  std::uint64_t seed = 42;  // of the samples that are trained on, and of the first weights
  bool rounded = false;     // the planted fault: after each step all weights are rounded to bf16
};

struct Trained {
  std::int64_t samples = 0, parameters = 0;  // parameters: of the tables
  double operations = 0;
  double loss = 0, entropy = 0;  // nats for each held-out sample
};

// Each sample is trained on once. The same amounts and seed give the same loss, bit for bit, on one thread of a
// LibTorch. Throws what LibTorch throws.
Trained train(const Training& training);

}  // namespace tbci::suite::learning
