// Did the culprit make it slower? The newest commit is compared with the same commit without the culprit.
#pragma once

#include <string>
#include <vector>

#include "pipeline/subject_context.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/night.hpp"

namespace tbci::pipeline {

struct RevertCheck {
  std::string culprit;
  std::string commit;                    ///< the bad end with the culprit reverted; empty: see reason
  std::string reason;                    ///< why it was not measured
  std::vector<model::Finding> findings;  ///< of that commit against the bad end: an `improvement` confirms the culprit
};

/// One for each culprit that is the only suspect of its step and no repair, in the order of the answers. Measures none
/// of them twice. Errors: those of building and measuring; a revert that does not apply or build is not an error.
Result<std::vector<RevertCheck>> verify_reverts(SubjectContext& context, const model::Bisection& bisection);

/// A line for each series, for people.
std::string lines_of(const std::vector<RevertCheck>& checks);

}  // namespace tbci::pipeline
