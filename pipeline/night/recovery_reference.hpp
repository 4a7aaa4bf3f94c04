// Which build says whether a regression is still there: the one before it or, once that is gone, one that had it.
#pragma once

#include <optional>
#include <string>

#include "detect/threshold_table.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// What tonight's build is measured beside. Levels are effects, as detect::effect measures them.
struct RecoveryReference {
  model::Build build;
  double level = 0;     ///< of this build, above that before the regression; 0: it is the build before the regression
  double accepted = 0;  ///< what a person accepted of the series since: tonight's build may have it
  double rise = 0;      ///< what the build lacks of the level that tonight's build is compared with
  std::string clear;    ///< what a clear look beside it says
};

/// Nothing where no build of that time can be measured any more.
Result<std::optional<RecoveryReference>> recovery_reference(SubjectContext& context, const model::Night& tonight,
                                                            const model::Regression& regression);

/// The level of tonight's build, by what the pairs beside the reference found. One that is near to the reference's is
/// the same: else the errors of many looks, each beside the one before, would add up.
double level_in(const model::Finding& found, const RecoveryReference& reference,
                const detect::ThresholdTable& thresholds);

}  // namespace tbci::pipeline
