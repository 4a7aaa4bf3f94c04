// How well the click model of a benchmark learns with more samples, parameters or compute: each training in a fresh
// process, made now and not kept.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/scaling/learning.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/words.hpp"

namespace tbci::pipeline {

struct LearningScalePlan {
  std::string over = "samples";       ///< or parameters, compute
  std::vector<std::int64_t> amounts;  ///< of it: each above 0, and each once
  int seeds = 5;                      ///< trainings of each amount and build
};

/// What the trainings of one build came to.
struct LearningBuild {
  std::string name;
  /// By what the worker says that the amount came to, the smallest first. Losses in nats, means over the seeds.
  std::vector<detect::ScalePoint> points;
  double entropy = 0;  ///< of the held-out clicks, in nats: what the law's constant estimates
  std::optional<detect::PowerLaw> law;
  std::string no_law;  ///< why there is none
};

struct LearningCase {
  model::Case measured;
  std::string over;
  std::vector<LearningBuild> builds;            ///< one, or the older one first
  std::map<std::int64_t, std::string> missing;  ///< amounts without a point, and why
  std::optional<detect::LossChange> change;     ///< of two builds, over the amounts that have a point
  std::string no_change;                        ///< why two builds have none
};

/// Trains with all amounts, seed after seed, on each build the same samples from the same first weights. An amount that
/// fails on one build has a point on neither. `builds`: one or two. Errors are those of the machine, and that the work
/// was stopped.
Result<LearningCase> scale_learning(SubjectContext& context, const std::vector<model::Build>& builds,
                                    const model::Case& measured, const LearningScalePlan& plan);

}  // namespace tbci::pipeline
