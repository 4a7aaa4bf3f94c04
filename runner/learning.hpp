// What a worker says of a click model that it trained: how much of what, and how well it learned. Parsing is pure and
// accepts hostile input.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/process.hpp"
#include "base/result.hpp"
#include "storage/model/words.hpp"

namespace tbci::runner {

/// One training.
struct LearningPlan {
  std::string over;         ///< what grows: one of the benchmark's `learns`, such as `samples`
  std::int64_t amount = 0;  ///< of it; the worker says what it came to
  std::uint64_t seed = 42;  ///< of the clicks and the first weights; held-out samples are always the same
};

/// All of one training, and what came of it. All above 0.
struct Learned {
  std::int64_t samples = 0;     ///< trained on, each once
  std::int64_t parameters = 0;  ///< of the model
  double operations = 0;        ///< floating-point operations of the training
  double loss = 0;              ///< nats for each held-out sample
  double entropy = 0;           ///< of the held-out clicks, in nats: no model can have less loss
};

/// Adds what the plan asks for to the command of a worker.
void add_learning_options(Command& command, const LearningPlan& plan);

/// The output of `tbci-worker learn`. `expected`: the case under the worker's own name for it. Errors (failed): as the
/// worker's error line says, or what violates the protocol.
Result<Learned> parse_learning(std::string_view output, const model::Case& expected, const LearningPlan& plan);

}  // namespace tbci::runner
