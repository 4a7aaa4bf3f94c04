// Which nightly is checked, and compared with which.
#pragma once

#include <string>
#include <vector>

#include "pipeline/pipeline.hpp"
#include "storage/model/build.hpp"

namespace tbci::pipeline {

struct ChosenNight {
  model::Nightly nightly, baseline;
  /// What takes the baseline's place where that cannot be installed, the best first; none where a person named it.
  std::vector<model::Nightly> other_baselines = {};
  std::vector<model::Nightly> published =
      {};  ///< as the index lists them, the oldest first; none where nobody asked it
};

/// By the choice, the index, and what was checked before: the best earlier nightly (see baselines.hpp). A night that
/// was begun keeps its baseline. Without a name the newest nightly that is complete and not skipped. Keeps what the
/// list says of those that are not (see skipped_nightlies.hpp). Errors (usage) for a name that is neither published nor
/// begun, naming the nearest; (transient) for one that is incomplete.
Result<ChosenNight> choose_night(SubjectContext& context, const NightChoice& choice);

/// The nightlies that `serve` still has to check, oldest first: those newer than the last one that was checked; the
/// newest alone where none was; an older one as well that was waited for and has come; none that is incomplete, yanked
/// or skipped; unfinished ones in any case, published or not. Keeps what the list says, as choose_night does.
Result<std::vector<std::string>> unchecked_nightlies(SubjectContext& context);

}  // namespace tbci::pipeline
