// Our own mirror of a subject's repository, and checkouts of it. The user's checkout is never touched.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/git.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"

namespace tbci::runner {

struct WorktreeSettings {
  std::string repository;        ///< path or address; one with credentials in it is refused (usage)
  std::filesystem::path folder;  ///< ours: `mirror.git` and `slot-0`, `slot-1` ... lie in it
  bool submodules = false;
  bool keep_untracked = false;  ///< what an earlier build left in a checkout
  /// The mirror reads the objects of a repository on this machine where they lie: nothing is copied, and commits that
  /// no branch or tag names are found as well.
  bool share_objects = false;
};

/// A checkout that is ours alone while this lives.
struct Slot {
  std::filesystem::path source;
  FileLock lock;
};

/// A commit with another one taken back, or why there is none.
struct Reverted {
  std::string commit;  ///< kept in the mirror under refs/tbci; empty: see reason
  std::string reason;
};

class Worktree {
 public:
  Worktree(WorktreeSettings settings, ProcessRunner& processes, LineSink progress = {});

  /// Makes the mirror, or brings it up to date with the repository. Errors: usage where there is no such repository.
  Status update(std::stop_token stop);
  /// The mirror, opened; made first where it is not there yet.
  Result<GitRepository> mirror(std::stop_token stop);
  /// The commit that a revision names; the mirror is brought up to date where it does not know it. Error (usage) where
  /// there is none.
  Result<GitCommit> commit(const std::string& revision, std::stop_token stop);
  /// A free slot with exactly the files of the commit in it. What a process that died left there (locks, half a
  /// checkout) is repaired.
  Result<Slot> check_out(const std::string& commit, std::stop_token stop);
  /// The same in the folder of that name beside the slots, for a checkout that stays. Error (transient) where another
  /// process holds it, or still works in it after 10 seconds.
  Result<Slot> check_out_at(const std::string& name, const std::string& commit, std::stop_token stop);

  /// What `git revert` of `culprit` makes on top of `onto`. The same two give the same commit. Where it does not apply
  /// cleanly, or is taken back already, the reason says so. The user's repository is left as it is.
  Result<Reverted> revert(const std::string& culprit, const std::string& onto, std::stop_token stop);

  std::filesystem::path mirror_path() const;

 private:
  Status usable_repository() const;
  Result<Slot> free_slot() const;
  Result<Slot> filled(Slot slot, const std::string& commit, std::stop_token stop);
  Status fill(const std::filesystem::path& source, const std::string& commit, std::stop_token stop);
  Status fill_submodules(const std::filesystem::path& source, std::stop_token stop);
  Status make_slot(const std::filesystem::path& source, std::stop_token stop);
  Status git(std::vector<std::string> arguments, const std::filesystem::path& directory, std::stop_token stop,
             const std::map<std::string, std::string>& environment = {});
  Result<FileLock> lock_mirror(std::stop_token stop) const;

  WorktreeSettings settings_;
  ProcessRunner& processes_;
  LineSink progress_;
};

}  // namespace tbci::runner
