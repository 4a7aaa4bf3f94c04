// What every model of the suite must show. A test of a family is a list of its models with what is known of each. It
// includes no LibTorch, so that such a test compiles in a second or two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tbci::suite {

inline constexpr std::int64_t any = -1;  // a dimension that depends on the data

struct Expected {
  std::string name;

  // Of the outputs of inference in ci size, on a batch of `batch`.
  std::vector<std::vector<std::int64_t>> outputs;
  std::int64_t batch = 2;

  // Parameters of the paper size as others published them, and who did. 0 where nobody did.
  std::int64_t published = 0;
  std::string published_by = "";

  // Training: the mean of the last five of so many losses is below that of the first five.
  std::int64_t train_batch = 4;
  int steps = 30;

  // Parameters that the original's loss does not reach either (say which, and why, in a comment beside it).
  std::vector<std::string> unreached = {};

  // Inference draws random numbers or changes the model's own state, as the original's does (say which): two iterations
  // then need not give the same, but the same seed does.
  bool repeats = true;

  // Training changes the weights. False where the original only computes gradients: then no loss falls either.
  bool optimises = true;

  // Over 1 GB of parameters in paper size: counted only where the machine is asked for it (test tag [.large]).
  bool large = false;
};

// Runs all checks that hold for the model's modes. Call it in a TEST_CASE of its own: it has sections.
void check_model(const Expected& expected);

// Counts the parameters of the paper size. For the test cases tagged [.large]; check_model does it for all others.
void check_parameters(const Expected& expected);

}  // namespace tbci::suite
