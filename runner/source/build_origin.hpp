// Which commit an entry of the build cache was made of, as a note in the entry beside the product.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tbci::runner {

struct BuildOrigin {
  std::string commit;      ///< 40 hex digits
  bool laid_over = false;  ///< over a build of another commit; else the recipe ran
  bool operator==(const BuildOrigin&) const = default;
};

/// An entry that knows its commit.
struct KnownBuild {
  std::filesystem::path entry;
  BuildOrigin origin;
};

Status keep_origin(const std::filesystem::path& entry, const BuildOrigin& origin);
/// Nothing for an entry of an older tbci, or where the note cannot be read.
std::optional<BuildOrigin> origin_of(const std::filesystem::path& entry);

/// The entries in the folder of a cache whose keys begin like this and that know their commit: those that a recipe made
/// before those that were laid over one, and among these the last used first.
std::vector<KnownBuild> builds_of(const std::filesystem::path& cache, const std::string& beginning_of_key);

}  // namespace tbci::runner
