#include "storage/model/bisection.hpp"

namespace tbci::model {

std::vector<FoundStep> steps_of(const Answer& answer) {
  if (!answer.steps.empty() || answer.suspects.empty()) return answer.steps;
  return {{answer.suspects, answer.posterior, answer.change, answer.low, answer.high, false, answer.reason}};
}

}  // namespace tbci::model
