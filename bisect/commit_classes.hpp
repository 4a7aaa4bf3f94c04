// The classes of commits that a bisection looks at, and which of them are the same binary.
#pragma once

#include <vector>

#include "bisect/build_scheduler.hpp"

namespace tbci::bisect {

class Day {
 public:
  explicit Day(const std::vector<model::Commit>& commits);

  std::size_t classes() const { return classes_.size(); }
  std::size_t last() const { return classes_.size() - 1; }
  /// The commit that stands for a class.
  std::size_t index_of(std::size_t at) const { return classes_[at].commits.front(); }
  const model::Commit& commit_of(std::size_t at) const { return commits_[index_of(at)]; }
  /// The first class whose binary is the same: a change that was reverted brings an earlier binary back.
  std::size_t binary_of(std::size_t at) const { return binaries_[at]; }
  const std::vector<model::Commit>& commits() const { return commits_; }

 private:
  const std::vector<model::Commit>& commits_;
  std::vector<CommitClass> classes_;
  std::vector<std::size_t> binaries_;
};

}  // namespace tbci::bisect
