// The section of a report on what the step consists of: kernels by operator, overheads by type, page faults, waiting.
#pragma once

#include <string>

#include "storage/model/step_split.hpp"

namespace tbci::github {

/// A sentence on the cause and a table of eight parts at most; empty where no part is large enough to show. Names of
/// operators may be hostile. Pure.
std::string step_section(const model::StepSplit& step);

}  // namespace tbci::github
