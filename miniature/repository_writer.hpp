// Writes a planned history as a git repository.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "miniature/plan.hpp"

namespace tbci::miniature {

inline constexpr const char* kBranch = "main";

/// Makes the repository, its branch and its work tree; gives the hash of each commit, in the order of the plan.
/// `directory` must be empty or not exist.
Result<std::vector<std::string>> write_repository(const Plan& plan, const std::filesystem::path& directory);

}  // namespace tbci::miniature
