// Details of commits for plans, reports and priors: the paths they touch and their pull requests.
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
  std::vector<std::string> reverts = {};  ///< see reverted_commits
};

/// The details of each commit, in their order. Errors: those of GitRepository.
Result<std::vector<CommitDetails>> details_of(const std::filesystem::path& repository,
                                              const std::vector<model::Commit>& commits);

/// The pull request that a commit message names: in the last line `Pull Request resolved: <address>/pull/1234` (written
/// by PyTorch's merge bot), else in a subject that ends with `(#1234)` (GitHub's squash), else in a subject that begins
/// with `Merge pull request #1234`. Nothing if the message has none of these.
std::optional<int> pull_request_of(std::string_view message);

/// The commits that a message says it takes back, as `git revert` and PyTorch's merge bot write it: `This reverts
/// commit <id>`, in any line. An id has 7 to 40 hex digits, in small letters here, and may be only the beginning of
/// one.
std::vector<std::string> reverted_commits(std::string_view message);

}  // namespace tbci::bisect
