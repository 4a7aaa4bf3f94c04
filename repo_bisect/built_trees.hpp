// Built checkouts of commits, one folder for each commit, in the state folder of a search.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <stop_token>
#include <string>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "repo_bisect/job.hpp"
#include "repo_bisect/journal.hpp"
#include "runner/line_sink.hpp"
#include "runner/source/worktree.hpp"

namespace tbci::repo_bisect {

/// A tree stays where it is built, because builds contain their own paths. When the trees exceed their budget, or the
/// disk is nearly full, the least recently used are removed; a removed tree is rebuilt when it is needed. Not
/// thread-safe.
class BuiltTrees {
 public:
  BuiltTrees(const RepositoryJob& job, std::filesystem::path folder, ProcessRunner& processes, const Clock& clock,
             runner::LineSink progress);

  /// Checks a commit out and builds it. Errors are never the commit's fault: no space, no memory, a missing program
  /// (machine), an unknown commit (usage), a stop (interrupted).
  Result<BuildRecord> build(const std::string& commit, std::stop_token stop);
  /// The tree of a commit that builds. Rebuilds it if it was removed. Errors as above.
  Result<std::filesystem::path> tree(const std::string& commit, std::stop_token stop);
  /// Path of a commit's tree, whether it exists or not.
  std::filesystem::path tree_path(const std::string& commit) const;
  /// Path of a commit's build log; it exists once a build has run.
  std::filesystem::path log_path(const std::string& commit) const;
  /// Number of rebuilds.
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
  bool remove_least_recently_used();
  void keep_to_budget();

  const RepositoryJob& job_;
  std::filesystem::path folder_;
  ProcessRunner& processes_;
  runner::LineSink progress_;
  runner::Worktree worktree_;
  std::deque<std::string> in_use_;  ///< the last two requested trees: a pair needs both
  int rebuilds_ = 0;
};

}  // namespace tbci::repo_bisect
