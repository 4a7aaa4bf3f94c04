// What an iteration takes with another batch: some batches are recorded and measured now, and nothing is kept.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/predict/prediction.hpp"
#include "pipeline/subject_context.hpp"
#include "storage/model/build.hpp"
#include "storage/model/words.hpp"

namespace tbci::pipeline {

struct PredictionPlan {
  std::optional<int> batch = {};    ///< that is predicted, above 0; nothing: the case's own
  std::vector<int> calibrate = {};  ///< batches, each above 0 and once; empty: those of calibration_batches
  int processes = 5;                ///< that record, and as many that measure, of each batch
};

struct PredictedCase {
  model::Case measured;
  int own_batch = 0;  ///< that it is measured with
  detect::Prediction prediction = {};
  std::map<int, std::string> missing = {};  ///< batches that could not be recorded or measured, and why
};

/// A quarter, a half, once and twice the own batch, each once. An own batch that is too small for three of them: up to
/// four times it.
std::vector<int> calibration_batches(int own);

/// The batch that the case is measured with: as configured, or the benchmark's own. Error (usage): it is not known, as
/// workers list that of size ci alone.
Result<int> own_batch_of(const settings::Config& config, const runner::Listing& listing, const model::Case& measured);

/// Records and measures in turn, one process after another. `own_batch`: of own_batch_of; 0 where the plan names all
/// batches. Errors: `failed` where fewer than two batches could be calibrated or the operators change with the batch,
/// `usage` for a GPU; those of the machine, and that the work was stopped.
Result<PredictedCase> predict(SubjectContext& context, const model::Build& build, const model::Case& measured,
                              int own_batch, const PredictionPlan& plan);

}  // namespace tbci::pipeline
