// What the files of a commit that are laid over a build differ by from those of the commit that was built. Pure.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/git.hpp"
#include "base/result.hpp"
#include "runner/subject.hpp"

namespace tbci::runner {

struct LaidOverChange {
  std::filesystem::path place;     ///< in the product, relative
  std::optional<GitEntry> before;  ///< at the commit that was built; nothing: the file is new
  std::optional<GitEntry> after;   ///< nothing: the file is gone
};

struct LaidOverChanges {
  std::vector<LaidOverChange> changes;            ///< by path
  std::vector<std::filesystem::path> before;      ///< places of all files at the commit that was built
  std::set<std::filesystem::path> known_folders;  ///< that these files lie in, and the folders above; empty: the top
};

/// The entries of a commit that are laid over: those that `files` chooses and `compiled` does not. Error (failed) for a
/// link or a submodule among them.
Result<std::vector<GitEntry>> laid_over_entries(const GitRepository& repository, const std::string& commit,
                                                const SourceSettings& source);

/// Both lists sorted by path. Error (failed) where a changed file lies outside the folder `from`, or has a path that
/// leads out of the product.
Result<LaidOverChanges> laid_over_changes(const std::vector<GitEntry>& before, const std::vector<GitEntry>& after,
                                          const std::string& from);

}  // namespace tbci::runner
