// Which commit an entry of the build cache was made of and how, as a note in the entry beside the product.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tbci::runner {

inline constexpr const char* built_here = "built here";
inline constexpr const char* laid_over_a_build = "laid over a build";

struct BuildOrigin {
  std::string commit;             ///< 40 hex digits
  std::string made = built_here;  ///< or `laid_over_a_build`, or where it was taken from: one line
  bool is_laid_over() const { return made == laid_over_a_build; }
  bool operator==(const BuildOrigin&) const = default;
};

/// An entry that knows its commit.
struct KnownBuild {
  std::filesystem::path entry;
  BuildOrigin origin;
};

/// Readable as a file `origin`: how it was made, and below that the commit.
Status keep_origin(const std::filesystem::path& entry, const BuildOrigin& origin);
/// Nothing for an entry of an older tbci, or where the note cannot be read.
std::optional<BuildOrigin> read_origin(const std::filesystem::path& entry);

/// The entries in the folder of a cache whose keys begin like this and that know their commit: whole builds before
/// those that were laid over one, and among these the last used first.
std::vector<KnownBuild> builds_of(const std::filesystem::path& cache, const std::string& beginning_of_key);

}  // namespace tbci::runner
