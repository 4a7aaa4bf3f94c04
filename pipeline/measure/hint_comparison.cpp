#include "pipeline/measure/hint_comparison.hpp"

namespace tbci::pipeline {

Result<HintComparison> compare_hints(SubjectContext& context, const Comparison& builds, const model::Case& measured,
                                     const CharacterOptions& options) {
  CharacterOptions all = options;
  all.thresholds.least_gain = 0;  // what was almost there before is not added
  HintComparison compared{.measured = measured, .recordings = hint_recordings, .after = {}, .added = {}};
  std::vector<detect::HintRecording> before, after;
  for (int pair = 0; pair < hint_recordings; ++pair) {
    context.progress.step(fmt::format("record {}, pair {}", to_string(measured), pair + 1));
    TBCI_ASSIGN(Character old_one, characterise(context, builds.before, measured, all));
    TBCI_ASSIGN(compared.after, characterise(context, builds.after, measured, all));
    before.push_back({std::move(old_one.hints), old_one.split.whole()});
    after.push_back({compared.after.hints, compared.after.split.whole()});
  }
  compared.added = detect::added_hints(before, after, options.thresholds.least_gain);
  return compared;
}

}  // namespace tbci::pipeline
