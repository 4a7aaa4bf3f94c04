// Searches for the batches of a suite's inference, each in fresh processes, and keeps what was found as it is found.
#pragma once

#include <filesystem>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "runner/batch_search.hpp"
#include "settings/batch_sizes.hpp"
#include "storage/model/build.hpp"

namespace tbci::pipeline {

struct BatchSearchPlan {
  std::vector<model::Case> cases;
  std::filesystem::path file;
  runner::BatchSearchSettings settings;
  bool again = false;  ///< also what the file has of this machine already
};

struct CaseSearch {
  settings::SearchedBatch searched;
  bool now = false;  ///< else it was in the file
};

/// The cases that have a batch to search: inference. Error (usage) where only training was wanted, with the reason.
Result<std::vector<model::Case>> inference_of(const std::vector<model::Case>& cases);

/// Writes each case to the file before it begins the next, so that an interrupted search continues where it stopped. A
/// case that fails even with a batch of one is in the answer with a batch of 0, and not in the file: the next search
/// tries it again. Errors: the file is wrong (usage) or cannot be written; a stop was requested.
Result<std::vector<CaseSearch>> search_batches(SubjectContext& context, const model::Product& product,
                                               const BatchSearchPlan& plan);

}  // namespace tbci::pipeline
