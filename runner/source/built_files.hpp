// Takes over what a build made. A build runs the code under test, so its files may be anything.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/result.hpp"

namespace tbci::runner {

/// Where a product lies that the settings name: inside `prefix` if they say `{prefix}...`, otherwise in the checkout.
/// Error (usage) where it would lie in neither.
Result<std::filesystem::path> built_place(const std::string& named, const std::filesystem::path& source,
                                          const std::filesystem::path& prefix);

/// The same place without links. A build must not make tbci, which may read more than it, copy other files. Error
/// (failed): links lead out of the checkout and the prefix. What is not there is left as it is.
Result<std::filesystem::path> real_place(const std::filesystem::path& named, const std::filesystem::path& source,
                                         const std::filesystem::path& prefix);

struct CopyLimits {
  std::uint64_t bytes = std::uint64_t{20} << 30;  ///< of all files together, holes counted
  std::size_t entries = 1000000;                  ///< files, folders and links
};

/// Copies a file or a folder with all below it, links as links. Makes the folders above `to`. Errors: failed, if there
/// is anything but files, folders and links (a pipe, a device), or more than the limits; environment, if the copy
/// itself fails.
Status copy_built(const std::filesystem::path& from, const std::filesystem::path& to, const CopyLimits& limits);

}  // namespace tbci::runner
