// Which older nightlies a night may be compared with, the best first.
#pragma once

#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"

namespace tbci::pipeline {

/// Of the earlier nightlies (the oldest first) those that may be the baseline, the best first; of equal ones the newer
/// version, whenever it was measured:
/// 1. nightlies with verdicts that ran well here: this runner, as it is now, has screened them, and at least half of
///    the cases that are supported ran, or half of those that ran on any of the last `[disk] kept_nights` nights (most
///    may be broken for long). So a nightly that was missed, or ran badly, is inside the range. A machine that
///    changed for some nights and changed back reaches past these by `[disk] kept_nights` nights at the most;
/// 2. the same in another environment of this runner;
/// 3. those with verdicts that ran well on another runner;
/// 4. those without verdicts that ran well here, as another night's baseline;
/// 5. those with verdicts that ran badly;
/// 6. those that nobody measured;
/// 7. what is known not to install, and what its publisher took back before it was checked.
/// What is older than the first five of those that ran well here is left out.
Result<std::vector<model::Nightly>> possible_baselines(SubjectContext& context,
                                                       const std::vector<model::Nightly>& earlier);

}  // namespace tbci::pipeline
