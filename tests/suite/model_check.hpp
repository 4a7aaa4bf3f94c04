// Checks that hold for every model of the suite. A family's test lists its models with the expected facts. This header
// does not include LibTorch, so such a test compiles in a second or two.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tbci::suite {

inline constexpr std::int64_t any = -1;  // a dimension that depends on the data

struct Expected {
  std::string name;

  // Of the outputs of inference in ci size, on a batch of `batch`. On a GPU they are the same unless given.
  std::vector<std::vector<std::int64_t>> outputs;
  std::vector<std::vector<std::int64_t>> outputs_on_gpu = {};
  std::int64_t batch = 2;

  // The published number of parameters in paper size, and who published it. 0 if nobody did.
  std::int64_t published = 0;
  std::string published_by = "";

  // Why the outputs of a GPU cannot be those of the CPU with the same weights and inputs; empty: they are.
  std::string differs_on_gpu = "";

  bool infers_on_cpu_alone = false;  // on a GPU inference is refused

  // Training runs `steps` steps: the mean of the last five losses is below that of the first five.
  std::int64_t train_batch = 4;
  int steps = 30;

  // Parameters that the original's loss does not reach either (a comment in the test says why).
  std::vector<std::string> unreached = {};

  // False if inference draws random numbers or changes the model's state, as the original's does. Two iterations may
  // then differ, but equal seeds still give equal results.
  bool repeats = true;

  // Training changes the weights. False where the original only computes gradients: then no loss falls either.
  bool optimises = true;

  // Over 1 GB of parameters in paper size: counted only on request (test tag [.large]).
  bool large = false;
};

// Runs all checks that hold for the model's modes. Call it in a TEST_CASE of its own: it has sections.
void check_model(const Expected& expected);

// Counts the parameters of the paper size. For the test cases tagged [.large]; check_model does it for all others.
void check_parameters(const Expected& expected);

}  // namespace tbci::suite
