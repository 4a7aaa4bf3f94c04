// Where the time of each case goes, recorded now and not kept.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/timeline/hints.hpp"
#include "detect/timeline/parts.hpp"
#include "detect/timeline/split.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/words.hpp"

namespace tbci::pipeline {

/// One case on one build.
struct Character {
  model::Case measured;
  detect::TimeSplit split;
  double flops_per_second = 0;       ///< by the shapes of products, convolutions, recurrent layers and attention
  double peak_flops_per_second = 0;  ///< of a large product in fp32, in the same process; 0: not known
  double recorded = 0;               ///< how many times as long as an iteration a recorded one takes
  std::vector<detect::Hint> hints;   ///< the largest gain first
  std::optional<detect::IterationParts> parts;  ///< of a CPU's
};

/// What is recorded, and which hints are told.
struct CharacterOptions {
  std::string variant = {};  ///< of the model (docs/patches.md); empty: the model as it is written
  detect::HintThresholds thresholds = {};
};

/// Records the case in a fresh process and looks into the timeline. Errors: `failed` where it cannot be recorded or its
/// timeline makes no sense, with the case.
Result<Character> characterise(SubjectContext& context, const model::Build& build, const model::Case& measured,
                               const CharacterOptions& options = {});

/// Cases of one build, and why a case has no character.
struct Characters {
  std::vector<Character> of_cases;
  std::map<model::Case, std::string> missing;
};
/// In the order of the cases. One that cannot be recorded costs itself alone.
Result<Characters> characterise_all(SubjectContext& context, const model::Build& build,
                                    const std::vector<model::Case>& cases);

}  // namespace tbci::pipeline
