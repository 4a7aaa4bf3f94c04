// What a commit says and touches beside its line in a history: for plans, reports and priors.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

struct CommitDetails {
  std::vector<std::string> touched;  ///< paths that differ from the first parent, sorted; hostile text
  std::optional<int> pull_request;
};

/// Of each of the commits, in their order. Errors as those of GitRepository.
Result<std::vector<CommitDetails>> details_of(const std::filesystem::path& repository,
                                              const std::vector<model::Commit>& commits);

/// The pull request that a commit's message names: the last line `Pull Request resolved: <address>/pull/1234` (as
/// PyTorch's merge bot writes it), else a subject that ends with `(#1234)` (as GitHub's squash does), else
/// `Merge pull request #1234` at its beginning. Nothing where none of them is there.
std::optional<int> pull_request_of(std::string_view message);

}  // namespace tbci::bisect
