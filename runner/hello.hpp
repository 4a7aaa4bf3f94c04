// Whether a worker's first line is about the case that it was asked for. Pure; accepts hostile input.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "storage/model/words.hpp"

namespace tbci::runner {

/// Empty if the `hello` names the case, under the worker's own name for it, and the backend that runs it. Else what it
/// does instead: `measures 'bert/cpu-infer', not dlrm/cpu-infer`, with the verb that is given.
std::string wrong_case(const nlohmann::json& hello, const model::Case& expected, const char* verb);

}  // namespace tbci::runner
