// The steps of a search that no report names yet. Pure; safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "storage/model/bisection.hpp"

namespace tbci::pipeline {

/// The answer without the steps that have a commit of `known` among their suspects. If the largest step is one of them,
/// the answer leads with the largest of the others that made the series worse; if there is none, it names no commit and
/// says why.
model::Answer without_commits(model::Answer answer, const std::vector<std::string>& known);

}  // namespace tbci::pipeline
