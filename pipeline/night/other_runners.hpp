// What other runners with the same database measured of a culprit and its parent. Nothing is measured for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "github/other_runners_section.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

struct MeasuredElsewhere {
  model::Series series;  ///< of a time, that became worst here
  std::vector<github::OtherRunner> runners;
};

/// Of the one culprit that the regressions share; nothing where there is none, where no time got worse, or where no
/// other runner measured both. By pairs of one run, or else by the processes of both builds in one environment. Names
/// no machine unless the configuration lets reports do so. Errors are those of the database, and that the work was
/// stopped.
Result<std::optional<MeasuredElsewhere>> measured_elsewhere(SubjectContext& context,
                                                            const std::vector<model::Regression>& regressions,
                                                            const std::vector<std::string>& suspects);

}  // namespace tbci::pipeline
