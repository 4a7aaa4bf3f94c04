#include "pipeline/measure/recorded_comparison.hpp"

#include "base/text.hpp"
#include "detect/timeline/step.hpp"

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

Result<ExplainedCases> explain_steps(SubjectContext& context, const Comparison& builds,
                                     const std::vector<model::Finding>& findings) {
  std::vector<model::Case> cases;
  for (const model::Finding& finding : findings) {
    if (finding.series.metric == model::Metric::time && is_change(finding.verdict))
      cases.push_back(finding.series.measured_case());
  }
  context.progress.begin_stage("explain", counted(cases.size(), "case"),
                               static_cast<int>(cases.size()) * recordings_of_each);
  ExplainedCases all;
  for (const model::Case& measured : cases) {
    const auto compared = compare_recordings(context, builds, measured);
    if (compared && compared->step) {
      all.steps.push_back(*compared->step);
    } else if (compared) {
      all.missing[measured] = "the step of a GPU is not taken apart";
    } else if (compared.error().kind == ErrorKind::failed) {
      all.missing[measured] = one_line(compared.error().message);
    } else {
      return pass_on(compared.error());
    }
  }
  context.progress.end_stage(fmt::format("{} of {}", all.steps.size(), cases.size()));
  return all;
}

}  // namespace tbci::pipeline
