// Which regressions are of the same culprit, where searches know it more or less well.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pipeline/night/reporting.hpp"
#include "storage/model/report.hpp"
#include "storage/stores.hpp"

namespace tbci::pipeline {

/// One group for each culprit, those that know it best first; those without suspects are one group. A set of suspects
/// joins another that contains it or is contained in it, where it has a commit in common with no third.
std::vector<ReportGroup> by_culprit(std::vector<model::Regression> regressions);

/// The subject's report about these suspects: of the same set, else the only one with any of them, where its set
/// contains them or is contained in them. Otherwise none: which one it is cannot be told.
Result<std::optional<model::Report>> report_about(const storage::Stores& stores, const std::string& subject,
                                                  const std::vector<std::string>& suspects);

/// The smaller of two sets of suspects that are of the same culprit; else the second. An empty one knows nothing.
std::vector<std::string> narrower(const std::vector<std::string>& known, const std::vector<std::string>& now);

}  // namespace tbci::pipeline
