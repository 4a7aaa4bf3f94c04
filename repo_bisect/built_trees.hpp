// Checkouts of commits with their builds in them, one folder a commit, in a folder of ours.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/process.hpp"
#include "base/result.hpp"
#include "repo_bisect/job.hpp"
#include "repo_bisect/journal.hpp"
#include "runner/line_sink.hpp"
#include "runner/source/worktree.hpp"

namespace tbci::repo_bisect {

/// A tree is built where it stays, since builds know their own paths. The longest unused go when they are over the
/// budget, or when the disk is nearly full; one that is wanted again is built again. Not thread-safe.
class BuiltTrees {
 public:
  BuiltTrees(const RepositoryJob& job, std::filesystem::path folder, ProcessRunner& processes,
             runner::LineSink progress);

  /// Checks the commit out and builds it. Errors are what is not the commit's fault: no space, memory that ran out, a
  /// missing program (environment), a commit that is gone (usage), a stop (interrupted).
  Result<BuildRecord> build(const std::string& commit, std::stop_token stop);
  /// The tree of a commit that builds; built again where it was removed.
  Result<std::filesystem::path> tree(const std::string& commit, std::stop_token stop);
  /// Where the tree of a commit lies, or would.
  std::filesystem::path tree_path(const std::string& commit) const;
  /// What the build of a commit wrote, where it was begun.
  std::filesystem::path log_path(const std::string& commit) const;
  /// How often a tree was built again.
  int rebuilds() const { return rebuilds_; }

 private:
  std::filesystem::path mark_path(const std::string& commit) const;
  Result<BuildRecord> run_build(const std::filesystem::path& source, const std::string& commit, std::stop_token stop);
  Result<BuildRecord> judge(const Command& command, const ProcessOutcome& ended,
                            const std::filesystem::path& log) const;
  Status disk_not_full() const;
  Status enough_space();
  void use(const std::string& commit);
  struct Kept;
  std::vector<Kept> kept() const;
  bool remove_longest_unused();
  void keep_to_budget();

  const RepositoryJob& job_;
  std::filesystem::path folder_;
  ProcessRunner& processes_;
  runner::LineSink progress_;
  runner::Worktree worktree_;
  std::deque<std::string> in_use_;  ///< the last two that were asked for: a pair is measured with both
  int rebuilds_ = 0;
};

}  // namespace tbci::repo_bisect
