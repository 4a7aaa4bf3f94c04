// One case recorded on two builds: the hints that the second one added, and what the step between them consists of.
// Recorded now and not kept.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/timeline/added_hints.hpp"
#include "pipeline/measure/characterising.hpp"
#include "pipeline/measure/measuring.hpp"
#include "storage/model/step_split.hpp"

namespace tbci::pipeline {

struct RecordedComparison {
  model::Case measured;
  int recordings = 0;                    ///< of each build, each in a fresh process
  Character after;                       ///< of the last recording of the build after; its hints are all, however small
  std::vector<detect::AddedHint> added;  ///< the largest first
  std::optional<model::StepSplit> step;  ///< nullopt: of a GPU, whose step is not taken apart
};

inline constexpr int recordings_of_each = 3;

/// Records a case on both builds, in turn. `options.thresholds.least_gain`: what is added and saves less is left out.
/// Progress hears of each pair. Errors: as of `characterise`.
Result<RecordedComparison> compare_recordings(SubjectContext& context, const Comparison& builds,
                                              const model::Case& measured, const CharacterOptions& options = {});

/// Takes the cause away that goes the other way than the change that was confirmed: it is the machine's.
void keep_cause(model::StepSplit& step, bool slower);

/// The steps of the cases whose time a comparison found changed, in its order, and why a case has none.
struct ExplainedCases {
  std::vector<model::StepSplit> steps;
  std::map<model::Case, std::string> missing;
};
/// A case that cannot be recorded costs itself alone.
Result<ExplainedCases> explain_steps(SubjectContext& context, const Comparison& builds,
                                     const std::vector<model::Finding>& findings);

}  // namespace tbci::pipeline
