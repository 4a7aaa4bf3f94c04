// Lays the files of a commit over what a build of another commit with equal compiled inputs left, in place of a build.
//
// What happens to a file that differs between the two commits:
// - The product has the file of the commit that was built, byte for byte: the recipe copies it, so it is replaced, or
//   removed if the commit asked for does not have it.
// - The product has no such file: the recipe does not copy it (a test), so the product stays without it.
// - The product has something else there: the recipe changes the file, and must run.
// - The file is new: it is written if its folder is in the product. If the folder is not there, though the commit that
//   was built has files in it, the recipe does not copy that folder, nor what is new in it. A folder that is itself new
//   is left to the recipe, which must run, unless it lies in one that the recipe does not copy.
// A file that the build makes, and the repository does not have, differs in neither and stays as it is.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/git.hpp"
#include "base/result.hpp"
#include "runner/source/laid_over_changes.hpp"

namespace tbci::runner {

struct LaidOverLimits {
  std::size_t bytes_each = std::size_t{16} << 20;
  std::uint64_t bytes = std::uint64_t{256} << 20;  ///< of all files that are written, together
};

struct LaidOver {
  int written = 0;
  int removed = 0;
  int not_installed = 0;  ///< that the product does not have, and so does not get
};

/// Makes the folder `to`, which must not exist: the product in `built` with the changes. Each file that stays is one
/// file with that of `built`, which does not change. Bytecode of Python beside what changes goes. Error (failed) where
/// only the recipe can say what the product is; then `to` may have been begun.
Result<LaidOver> lay_over(const std::filesystem::path& built, const std::filesystem::path& to,
                          const GitRepository& repository, const LaidOverChanges& changes,
                          const LaidOverLimits& limits = {});

}  // namespace tbci::runner
