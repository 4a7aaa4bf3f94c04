// Internal to base: what the files of GitRepository share. Only they include libgit2.
#pragma once

#include <git2.h>

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/git.hpp"

namespace tbci::git {

template <auto Free>
struct Freer {
  template <typename T>
  void operator()(T* object) const {
    Free(object);
  }
};

using Repository = std::unique_ptr<git_repository, Freer<git_repository_free>>;
using CommitObject = std::unique_ptr<git_commit, Freer<git_commit_free>>;
using Object = std::unique_ptr<git_object, Freer<git_object_free>>;
using Reference = std::unique_ptr<git_reference, Freer<git_reference_free>>;
using Walk = std::unique_ptr<git_revwalk, Freer<git_revwalk_free>>;
using Tree = std::unique_ptr<git_tree, Freer<git_tree_free>>;
using Blob = std::unique_ptr<git_blob, Freer<git_blob_free>>;
using Objects = std::unique_ptr<git_odb, Freer<git_odb_free>>;
using Diff = std::unique_ptr<git_diff, Freer<git_diff_free>>;
using BranchIterator = std::unique_ptr<git_branch_iterator, Freer<git_branch_iterator_free>>;

/// libgit2 must have begun before it is used. It stays until the program ends: it reads all of the machine's
/// certificates each time that it begins.
void begin_libgit2();

/// What libgit2 last complained about, in one line.
std::string last_error();

std::string text_of(const git_oid& id);
/// As valid UTF-8; empty for a null pointer.
std::string text_of(const char* text);

/// The committer's time, from 1970 to 9999.
TimePoint time_of(const git_commit* commit);
GitCommit read_commit(const git_commit* commit);

}  // namespace tbci::git

namespace tbci {

struct GitRepository::Impl {
  std::filesystem::path path;
  git::Repository repository;

  /// Error (usage) where the revision names no commit.
  Result<git::CommitObject> find(std::string_view revision) const;
  Result<git_oid> id_of(std::string_view revision) const;
  Result<git::CommitObject> look_up(const git_oid& id) const;
  Result<git::Tree> tree_of(const git_commit* commit) const;

  /// First-parent commits from a tip backwards, children before parents.
  Result<git::Walk> walk_from(const git_oid& tip) const;
  /// Whether `older` is reachable from `newer`, which is another commit.
  Result<bool> descends(const git_oid& newer, const git_oid& older) const;
  Result<bool> descends_in_shallow(const git_oid& newer, const git_oid& older) const;

  /// Local, else of the remote `origin`; null where there is none.
  git::Reference branch(const std::string& name) const;
  std::vector<std::string> branch_names() const;

  bool is_shallow() const { return git_repository_is_shallow(repository.get()) == 1; }
  /// The error for a call of libgit2 that failed while `doing`.
  tl::unexpected<Error> trouble(std::string_view doing) const;
};

}  // namespace tbci
