// What pip prints. Pure; the texts are hostile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::runner {

/// The versions that `pip index versions` printed, oldest first.
Result<std::vector<std::string>> parse_pip_index(std::string_view output);
/// The versions in the error message of a pip that found no match: `(from versions: 1.0, 1.1)`; oldest first.
Result<std::vector<std::string>> parse_pip_complaint(std::string_view error);
/// The CUDA packages that a `pip install --dry-run --report -` would install.
Result<std::vector<std::string>> cuda_packages(std::string_view report);
/// The commit of main that the message of a commit of the nightly branch names:
/// `2026-01-07 nightly release (<40 hex digits>)`.
std::optional<std::string> main_commit_of_nightly(std::string_view message);

}  // namespace tbci::runner
