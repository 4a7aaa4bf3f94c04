// PyTorch's own list of operators, `aten/src/ATen/native/native_functions.yaml`: which functions implement each. Pure;
// safe from any thread.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::bisect {

/// Where it lies in PyTorch's repository.
inline constexpr const char* native_functions_path = "aten/src/ATen/native/native_functions.yaml";

/// The functions that implement an operator on some backend, by its name without namespace and overload
/// (`embedding_bag`), sorted. An operator without a `dispatch` is implemented by the function of its own name.
using Kernels = std::map<std::string, std::vector<std::string>>;

/// Entries of another shape are left out: the file is of whatever commit is looked at. Error (failed) where it is no
/// list in YAML.
Result<Kernels> read_native_functions(std::string_view yaml);

}  // namespace tbci::bisect
