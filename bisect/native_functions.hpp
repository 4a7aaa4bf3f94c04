// Reads PyTorch's list of operators, `aten/src/ATen/native/native_functions.yaml`, which names the functions that
// implement each operator. Pure; safe from any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::bisect {

/// Path of the list in PyTorch's repository.
inline constexpr const char* native_functions_path = "aten/src/ATen/native/native_functions.yaml";

/// The functions that implement an operator on any backend, sorted, by the operator's name without namespace and
/// overload
/// (`embedding_bag`). The function of the same name implements an operator without a `dispatch`.
using Kernels = std::map<std::string, std::vector<std::string>>;

/// Ignores malformed entries, because the file may be of any commit. Error (failed) if the file is not a YAML list.
Result<Kernels> read_native_functions(std::string_view yaml);

}  // namespace tbci::bisect
