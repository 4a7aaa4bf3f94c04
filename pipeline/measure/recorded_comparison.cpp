#include "pipeline/measure/recorded_comparison.hpp"

#include <algorithm>
#include <iterator>

#include "base/text.hpp"
#include "detect/timeline/step.hpp"
#include "pipeline/measure/profiling.hpp"

namespace tbci::pipeline {

Result<RecordedComparison> compare_recordings(SubjectContext& context, const Comparison& builds,
                                              const model::Case& measured, const CharacterOptions& options) {
  CharacterOptions all = options;
  all.thresholds.least_gain = 0;  // what was almost there before is not added
  RecordedComparison compared{
      .measured = measured, .recordings = recordings_of_each, .after = {}, .added = {}, .step = {}};
  std::vector<detect::HintRecording> before, after;
  detect::RecordedParts parts_before, parts_after;
  for (int pair = 0; pair < recordings_of_each; ++pair) {
    context.progress.step(fmt::format("record {}, pair {}", to_string(measured), pair + 1));
    TBCI_ASSIGN(Character old_one, characterise(context, builds.before, measured, all));
    TBCI_ASSIGN(compared.after, characterise(context, builds.after, measured, all));
    if (old_one.parts && compared.after.parts) {
      parts_before.push_back(std::move(*old_one.parts));
      parts_after.push_back(*compared.after.parts);
    }
    before.push_back({std::move(old_one.hints), old_one.split.whole()});
    after.push_back({compared.after.hints, compared.after.split.whole()});
  }
  compared.added = detect::added_hints(before, after, options.thresholds.least_gain);
  if (!parts_before.empty()) {
    compared.step = detect::split_step(parts_before, parts_after);
    compared.step->measured = measured;
    compared.step->recordings = recordings_of_each;
  }
  return compared;
}

void keep_cause(model::StepSplit& step, bool slower) {
  if (step.cause && (step.cause->nanoseconds > 0) != slower) step.cause.reset();
}

Result<ExplainedCases> explain_steps(SubjectContext& context, const Comparison& builds,
                                     const std::vector<model::Finding>& findings) {
  std::vector<model::Finding> changed;
  std::ranges::copy_if(findings, std::back_inserter(changed), [](const model::Finding& finding) {
    return finding.series.metric == model::Metric::time && is_change(finding.verdict);
  });
  context.progress.begin_stage("explain", counted(changed.size(), "case"),
                               static_cast<int>(changed.size()) * recordings_of_each);
  ExplainedCases all;
  for (const model::Finding& finding : changed) {
    const model::Case measured = finding.series.measured_case();
    const auto compared = compare_recordings(context, builds, measured);
    if (compared && compared->step) {
      all.steps.push_back(*compared->step);
      keep_cause(all.steps.back(), finding.verdict == model::Verdict::regression);
    } else if (compared) {
      all.missing[measured] = "the step of a GPU is not taken apart";
    } else if (costs_the_case_alone(compared.error())) {
      all.missing[measured] = one_line(compared.error().message);
    } else {
      return pass_on(compared.error());
    }
  }
  context.progress.end_stage(fmt::format("{} of {}", all.steps.size(), changed.size()));
  return all;
}

}  // namespace tbci::pipeline
