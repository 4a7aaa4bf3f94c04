// Which source files operators are made of, at a commit of a repository.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bisect/prior.hpp"

namespace tbci::bisect {

/// Looks into the files that match `compiled` (none: all), and into PyTorch's list of operators where the repository
/// has it. Errors: `usage` where there is no such commit, `failed` where that list cannot be read.
Result<OperatorSources> operator_sources_at(const std::filesystem::path& repository, const std::string& commit,
                                            const std::vector<std::string>& compiled,
                                            const std::vector<std::string>& operators);

}  // namespace tbci::bisect
