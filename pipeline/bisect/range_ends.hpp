// The two ends of a range that a person searches: built, and compared.
#pragma once

#include <string>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

/// Builds a commit at an end of the range. Error (failed) if it does not build.
Result<model::Build> built_end(SubjectContext& context, const std::string& commit);

struct RangePlan {
  std::string key;                     ///< prefix of the runs
  std::string from, to;                ///< full hashes: good end, bad end
  std::vector<model::Metric> metrics;  ///< none: all that are judged
};
/// Builds both ends and compares them as on a night. One finding for each series that is confirmed to be worse at the
/// bad end.
Result<std::vector<model::Finding>> regressions_between(SubjectContext& context, const RangePlan& plan);

}  // namespace tbci::pipeline
