// Of what a search found: the steps that no report names yet. Pure; safe from any thread.
#pragma once

#include <string>
#include <vector>

#include "storage/model/bisection.hpp"

namespace tbci::pipeline {

/// The answer without the steps that one of the commits in `known` is a suspect of. Where the largest step is among
/// them, the largest of the others that made the series worse takes its place; where there is none, the answer names
/// nobody and says why.
model::Answer without_commits(model::Answer answer, const std::vector<std::string>& known);

}  // namespace tbci::pipeline
