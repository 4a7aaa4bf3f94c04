// The commits that may have brought a change, out of the subject's repository.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// Which commits lie between two ends.
enum class Lineage {
  first_parent,  ///< those that landed on the branch, in the order in which they landed; a merge is one commit
  /// Every commit that is reachable from the bad end and not from the good one, parents before children, else ordered
  /// by committer's time ("commits are sorted by time", TorchBench paper, section 4.2). A commit of a side branch may
  /// lack what stands before it here.
  all
};

/// The commits from `from` (the good end, first) to `to` (the bad end, last), oldest first, each with the hash of its
/// compiled inputs: the files that match a pattern of `compiled` (none: all files). `from` and `to` are hashes, tags or
/// branches. Errors (usage): a repository or commit that is not there, both ends the same, a shallow clone that lacks a
/// part of the way, or a `from` that is not an ancestor of `to`. Where `from` came in by a merge, the merge is the
/// second one.
Result<std::vector<model::Commit>> commits_between(const std::filesystem::path& repository, const std::string& from,
                                                   const std::string& to, const std::vector<std::string>& compiled,
                                                   Lineage lineage = Lineage::first_parent);

}  // namespace tbci::bisect
