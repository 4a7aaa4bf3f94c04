#include "pipeline/bisect/secondary_culprits.hpp"

#include "detect/effect.hpp"

namespace tbci::pipeline {

namespace {

bool is_worth_an_issue(const model::Finding& finding, const detect::Thresholds& thresholds) {
  if (finding.change < thresholds.relative) return false;
  const bool is_memory = detect::is_memory(finding.series.metric);
  return !is_memory || finding.after - finding.before >= thresholds.memory_floor_bytes;
}

}  // namespace

std::vector<SecondaryCulprit> secondary_culprits(const model::Finding& whole, const model::Answer& answer,
                                                 const detect::Thresholds& thresholds) {
  std::vector<SecondaryCulprit> further;
  if (detect::is_leak(whole.series.metric)) return further;
  double level = whole.before;
  for (const model::FoundStep& step : model::steps_of(answer)) {
    const double before = level;
    level *= 1 + step.change;
    const bool is_largest = step.suspects == answer.suspects && !step.repair;
    if (step.repair || is_largest) continue;
    const model::Finding finding{.series = whole.series,
                                 .verdict = model::Verdict::regression,
                                 .before = before,
                                 .after = level,
                                 .change = step.change,
                                 .low = step.low,
                                 .high = step.high,
                                 .pairs = 0,
                                 .reason = ""};
    if (is_worth_an_issue(finding, thresholds))
      further.push_back({.finding = finding, .suspects = step.suspects, .reason = step.reason});
  }
  return further;
}

}  // namespace tbci::pipeline
