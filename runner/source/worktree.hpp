// tbci's own mirror of a subject's repository, and checkouts of it. Never touches the user's checkout.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/git.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/source/git_tool.hpp"

namespace tbci::runner {

struct WorktreeSettings {
  std::string repository;        ///< path or URL; one with credentials is rejected (usage)
  std::filesystem::path folder;  ///< contains `mirror.git`, `submodules` and `slot-0`, `slot-1` ...
  bool submodules = false;
  bool keep_untracked = false;  ///< files that an earlier build left in a checkout
  /// The mirror reads the objects of a local repository in place, without a copy, and so also finds commits that no
  /// branch or tag refers to.
  bool share_objects = false;
  int repack_after = 0;                ///< fetches, after which the mirror's packs become one; 0: never
  std::vector<std::string> refs = {};  ///< that the mirror has (see mirror_refs.hpp); empty: all branches and tags
  bool blobless = false;               ///< the mirror gets the contents of files where they are needed alone
};

/// A checkout that is locked while this object lives.
struct Slot {
  std::filesystem::path source;
  FileLock lock;
};

/// A commit that reverts another one, or why there is none.
struct Reverted {
  std::string commit;  ///< stored in the mirror under refs/tbci; empty: see reason
  std::string reason;
};

class Worktree {
 public:
  Worktree(WorktreeSettings settings, ProcessRunner& processes, const Clock& clock, LineSink progress = {});

  /// Creates the mirror, or updates it from the repository. Errors: usage if the repository does not exist.
  Status update(std::stop_token stop);
  /// The opened mirror. Creates it if necessary.
  Result<GitRepository> mirror(std::stop_token stop);
  /// The commit that a revision names. Updates the mirror if necessary. Error (usage) if there is no such commit.
  Result<GitCommit> commit(const std::string& revision, std::stop_token stop);
  /// Brings the contents of a commit's files into a mirror that lacks them, for who reads them there.
  Status bring_files(const std::string& commit, std::stop_token stop);
  /// A free slot with exactly the files of the commit. Repairs what a dead process left there (locks, half a
  /// checkout). Where untracked files are kept, only those of builds that were made in the same way: `made_by` is
  /// anything that differs where the way does. Empty: nothing is built, so they stay.
  Result<Slot> check_out(const std::string& commit, std::stop_token stop, const std::string& made_by = {});
  /// The same in a named folder next to the slots, for a permanent checkout. Error (transient) if another process has
  /// locked it, or still works in it after 10 seconds.
  Result<Slot> check_out_at(const std::string& name, const std::string& commit, std::stop_token stop);

  /// The commit that `git revert` of `culprit` creates on top of `onto`; reproducible. The reason says if the revert
  /// does not apply cleanly, or if the commit is reverted already. Does not change the user's repository.
  Result<Reverted> revert(const std::string& culprit, const std::string& onto, std::stop_token stop);

  std::filesystem::path mirror_path() const;

 private:
  Status usable_repository() const;
  Result<Slot> free_slot() const;
  Status forget_other_builds(const std::filesystem::path& source, const std::string& made_by) const;
  Result<Slot> filled(Slot slot, const std::string& commit, std::stop_token stop);
  Status fill(const std::filesystem::path& source, const std::string& commit, std::stop_token stop);
  Status fill_submodules(const std::filesystem::path& source, const std::stop_token& stop);
  Status distrust(const std::filesystem::path& source, std::stop_token stop);
  Status make_slot(const std::filesystem::path& source, std::stop_token stop);
  Status git(const std::vector<std::string>& arguments, const std::filesystem::path& directory, std::stop_token stop,
             const std::map<std::string, std::string>& environment = {}) const;
  Status clone(const std::filesystem::path& making, std::stop_token stop) const;
  Status fetch(const std::filesystem::path& mirror, std::stop_token stop) const;
  Status count_fetch(std::stop_token stop);
  Status fetch_commit(const std::string& id, std::stop_token stop);

  WorktreeSettings settings_;
  GitTool git_;
  const Clock& clock_;
  LineSink progress_;
};

}  // namespace tbci::runner
