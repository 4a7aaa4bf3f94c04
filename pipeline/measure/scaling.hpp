// How the time of a case grows with its batch, or with a size that its benchmark offers: each size in fresh processes,
// measured now and not kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/scaling/power_law.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/words.hpp"

namespace tbci::pipeline {

struct ScalePlan {
  std::string over = "batch";                                       ///< or a choice of the benchmark, such as `rows`
  std::vector<std::int64_t> sizes = {1, 2, 4, 8, 16, 32, 64, 128};  ///< each above 0, and each once
  int processes = 3;                                                ///< of each size and build
};

/// What one build measured: nanoseconds of an iteration, medians over the processes.
struct ScaledBuild {
  std::string name;
  std::vector<detect::ScalePoint> points;  ///< by the size, the smallest first
  std::optional<detect::PowerLaw> law;
  std::string no_law;  ///< why there is none
};

struct ScaledCase {
  model::Case measured;
  std::string over;
  std::vector<ScaledBuild> builds;              ///< one, or the older one first
  std::map<std::int64_t, std::string> missing;  ///< sizes without a point, and why
  std::optional<detect::LawChange> change;      ///< of two builds that have a law
  std::string no_change;                        ///< why two of those have none
};

/// Measures all sizes in rounds, two builds in turn. A size that fails on one build has a point on neither.
/// `builds`: one or two. Errors are those of the machine, and that the work was stopped.
Result<ScaledCase> scale(SubjectContext& context, const std::vector<model::Build>& builds, const model::Case& measured,
                         const ScalePlan& plan);

}  // namespace tbci::pipeline
