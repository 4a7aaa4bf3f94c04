// Classes of commits: neighbours whose inputs are equal (rev_range.hpp). A search builds and measures one commit of
// each.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "storage/model/bisection.hpp"

namespace tbci::bisect {

/// Neighbouring commits with equal inputs.
struct CommitClass {
  std::vector<std::size_t>
      commits;  ///< indices, ascending. The first commit brought the change and represents the class
};
/// A commit without a hash of its inputs forms its own class.
std::vector<CommitClass> classes_of(std::span<const model::Commit> commits);

/// What is said where the first commit and the last one have the same inputs.
std::string same_inputs_text(std::span<const model::Commit> commits);

/// The classes of a search, numbered from 0 (good end) to last() (bad end), and which of them compile to the same
/// binary. Refers to `commits`, which must outlive it.
class CommitClasses {
 public:
  explicit CommitClasses(const std::vector<model::Commit>& commits);

  std::size_t count() const { return classes_.size(); }
  std::size_t last() const { return classes_.size() - 1; }
  /// The commit that represents a class.
  std::size_t index_of(std::size_t at) const { return classes_[at].commits.front(); }
  const model::Commit& commit_of(std::size_t at) const { return commits_[index_of(at)]; }
  /// The first class with the same binary: a revert brings an earlier binary back.
  std::size_t binary_of(std::size_t at) const { return binaries_[at]; }
  const std::vector<model::Commit>& commits() const { return commits_; }

 private:
  const std::vector<model::Commit>& commits_;
  std::vector<CommitClass> classes_;
  std::vector<std::size_t> binaries_;
};

}  // namespace tbci::bisect
