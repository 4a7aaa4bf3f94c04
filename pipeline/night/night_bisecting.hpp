// The searches of a night for the culprits of its regressions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::pipeline {

/// Regressions that lie between the same two builds, and the search between these: the old build that they were
/// confirmed against and tonight's, or nightlies in between (see narrowing.hpp).
struct BisectedRange {
  Comparison builds;
  std::vector<std::int64_t> regressions;
  std::optional<model::Bisection> bisection;  ///< nothing where there was nothing to bisect
};

/// Searches the commits between each old build that tonight's regressions were confirmed against, and tonight's, after
/// the nightlies in between: all series of one such pair together. A regression that there is no way to search for is
/// unattributed, with the reason.
Result<std::vector<BisectedRange>> bisect_night(SubjectContext& context, const model::Night& night,
                                                const Comparison& builds);

/// Ends the searches of a night without an answer: what has no culprit yet is unattributed, for the reason `why`. Of
/// `builds` only the names are read.
Result<std::vector<BisectedRange>> end_searches(SubjectContext& context, const model::Night& night,
                                                const Comparison& builds, const std::string& why);

/// As they are in the store now.
Result<std::vector<model::Regression>> regressions_of(SubjectContext& context, const BisectedRange& range);

}  // namespace tbci::pipeline
