// The commits that may have brought a change, out of the subject's repository.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// The commits from `from` (the good end, first) to `to` (the bad end, last) along the first parents of `to`, oldest
/// first, each with the hash of its compiled inputs: the files that match a pattern of `compiled` (none: all files).
/// `from` and `to` are hashes, tags or branches. Errors (usage): a repository or commit that is not there, both ends
/// the same, or a `from` that is not an ancestor of `to`. Where `from` came in by a merge, the merge is the second one.
Result<std::vector<model::Commit>> commits_between(const std::filesystem::path& repository, const std::string& from,
                                                   const std::string& to, const std::vector<std::string>& compiled);

}  // namespace tbci::bisect
