#include "pipeline/bisect/unknown_steps.hpp"

#include <algorithm>

namespace tbci::pipeline {

model::Answer without_commits(model::Answer answer, const std::vector<std::string>& known) {
  const auto has_known = [&](const std::vector<std::string>& suspects) {
    return std::ranges::any_of(suspects, [&](const std::string& suspect) {
      return std::find(known.begin(), known.end(), suspect) != known.end();
    });
  };
  answer.steps = model::steps_of(answer);
  const auto left_out =
      std::erase_if(answer.steps, [&](const model::FoundStep& step) { return has_known(step.suspects); });
  if (left_out == 0 || !has_known(answer.suspects)) return answer;
  const model::FoundStep* largest = nullptr;
  for (const model::FoundStep& step : answer.steps) {
    if (!step.repair && (largest == nullptr || step.change > largest->change)) largest = &step;
  }
  if (largest == nullptr) {
    answer.suspects.clear();
    answer.posterior = 0;
    answer.reason = answer.series.metric == model::Metric::outcome
                        ? "no new culprit: the commit that breaks this case has its own report"
                        : "no single commit: the steps that were found have their own reports, and the rest is creep";
    return answer;
  }
  model::lead_with(answer, *largest);
  return answer;
}

}  // namespace tbci::pipeline
