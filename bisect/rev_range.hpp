// The commits between two revisions of a repository: the range of a search.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// Which commits lie between two ends.
enum class Lineage {
  first_parent,  ///< the commits of the branch itself, oldest first; a merge counts as one commit
  /// Every commit that is reachable from the bad end and not from the good end: parents before children, otherwise by
  /// committer's time ("commits are sorted by time", TorchBench paper, section 4.2). A commit of a side branch may lack
  /// the changes of commits before it in this order.
  all
};

/// The commits from `from` (the good end, first) to `to` (the bad end, last), oldest first, each with the hash of its
/// inputs: the files that match a pattern of `compiled` (none: all files) or of `laid_over` (none: no file), those that
/// are laid over a build. `from` and `to` are hashes, tags or branches. Errors (usage): an unknown repository or
/// commit, equal ends, a shallow clone that lacks part of the range, or a `from` that is not an ancestor of `to`. If a
/// merge brought `from` in, that merge is the second commit.
Result<std::vector<model::Commit>> commits_between(const std::filesystem::path& repository, const std::string& from,
                                                   const std::string& to, const std::vector<std::string>& compiled,
                                                   Lineage lineage = Lineage::first_parent,
                                                   const std::vector<std::string>& laid_over = {});

}  // namespace tbci::bisect
