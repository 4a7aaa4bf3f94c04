// Reading git repositories: a thin layer over libgit2. Nothing here changes a repository.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace tbci {

/// Whether a text is the whole hash of a commit, which never changes its meaning: 40 hex digits.
bool is_commit_id(std::string_view text);

/// A commit, as its repository describes it. All texts are valid UTF-8 and hostile: escape them where they are shown.
struct GitCommit {
  std::string id;  ///< 40 hex digits
  std::string author;
  std::string email;
  TimePoint time{};  ///< committer's time; from 1970 to 9999, whatever the commit claims
  std::string subject;
  std::string message;               ///< whole, the subject included
  std::vector<std::string> parents;  ///< ids, the first parent first
};

/// A file at a commit. Both are hostile.
struct GitFile {
  std::string path, text;
};

enum class GitEntryKind { file, program, link, submodule };

/// What a commit has at a path. The path is hostile, and not always UTF-8.
struct GitEntry {
  std::string path;
  GitEntryKind kind{};
  std::string id;  ///< of the content: 40 hex digits
  bool operator==(const GitEntry&) const = default;
};

/// How much of a commit's tree is read.
struct TreeLimits {
  std::size_t entries = 2000000;                    ///< files and folders; the largest known have half a million
  std::size_t path_bytes = std::size_t{256} << 20;  ///< of the chosen files, together
};

/// An open repository. Not thread-safe: one object a thread. Movable.
class GitRepository {
 public:
  /// A work tree, its .git, or a bare repository. Error (usage) where there is none.
  static Result<GitRepository> open(const std::filesystem::path& path);
  GitRepository(GitRepository&&) noexcept;
  GitRepository& operator=(GitRepository&&) noexcept;
  ~GitRepository();

  /// The commit that a revision names: an id, its beginning, a branch, a tag, `main~3`. Error (usage) for one that is
  /// unknown or names no commit, naming the repository.
  Result<GitCommit> resolve(std::string_view revision) const;
  /// True where such a branch exists: local, or of the remote `origin`.
  bool has_branch(const std::string& branch) const;
  /// The tip of a branch (local, else of `origin`). Error (usage) where there is none, with the nearest name.
  Result<GitCommit> branch_tip(const std::string& branch) const;

  /// True where `ancestor` is `descendant` or is reachable from it. Both are revisions.
  Result<bool> is_ancestor(std::string_view ancestor, std::string_view descendant) const;
  /// The newest commit that both revisions descend from, or are. Error (usage) where they share no history.
  Result<GitCommit> common_ancestor(std::string_view one, std::string_view other) const;
  /// The first-parent commits that lead from `from` (left out) to `to` (the last), oldest first; empty where they are
  /// the same commit. Error (usage) where `from` is not an ancestor of `to`.
  Result<std::vector<GitCommit>> commits_between(std::string_view from, std::string_view to) const;
  /// The files of a commit whose paths the patterns choose, sorted by path; binary files and those over
  /// `most_bytes_each` are left out.
  Result<std::vector<GitFile>> files(std::string_view revision, std::span<const std::string> patterns,
                                     std::size_t most_bytes_each = std::size_t{1} << 20) const;
  /// Every commit that is reachable from `to` and not from `from`, parents before children and the earlier committer's
  /// time first where that leaves a choice; `to` is the last. Errors as above.
  Result<std::vector<GitCommit>> all_commits_between(std::string_view from, std::string_view to) const;
  /// The paths that differ between a commit and its first parent (of a root commit: all), sorted; a rename touches both
  /// names. The first `most` only: a commit that moves the whole tree touches more than anybody reads.
  Result<std::vector<std::string>> touched_paths(std::string_view revision, std::size_t most = 10000) const;
  /// Whether the repository is a shallow clone: its history ends where it was cut off.
  bool is_shallow() const;
  /// The last first-parent commit of each UTC day of a branch by committer's time, oldest first; the newest `most` days
  /// only. A commit dated before the day of its first parent opens no day of its own.
  Result<std::vector<GitCommit>> last_of_each_day(const std::string& branch, std::size_t most = 1000) const;

  /// SHA-256 over the tree entries (mode, path, content id) of a commit that the patterns choose: equal hash, equal
  /// files. No patterns: all files. See `path_matches` for what a pattern means. Error (failed) for a tree over the
  /// limits: a few small objects can describe one of billions of files.
  Result<std::string> compiled_inputs(std::string_view revision, std::span<const std::string> patterns,
                                      const TreeLimits& limits = {}) const;

  /// What a commit has at the paths that the patterns choose, sorted by path. Errors as above.
  Result<std::vector<GitEntry>> entries(std::string_view revision, std::span<const std::string> patterns,
                                        const TreeLimits& limits = {}) const;
  /// The content of a file, by the id that its entry has. Error (failed) where it has more than `most_bytes`.
  Result<std::string> content(const std::string& id, std::size_t most_bytes) const;

  const std::filesystem::path& path() const;

 private:
  struct Impl;
  explicit GitRepository(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace tbci
