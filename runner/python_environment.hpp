// The environment in which a Python worker measures.
#pragma once

#include <map>
#include <string>

namespace tbci::runner {

/// The variables of a Python process that measures: nothing of a user's Python settings, no files written beside the
/// sources, and sets in the same order in every process. Python treats an empty variable as unset.
std::map<std::string, std::string> python_environment();

}  // namespace tbci::runner
