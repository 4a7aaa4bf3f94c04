// Stores finished products by a key of their inputs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.hpp"

namespace tbci::runner {

/// An entry is a folder that appears atomically. Several processes may share a cache. Its last write time is that of
/// its last use; who owns the disk removes the longest unused (pipeline/disk).
class BuildCache {
 public:
  explicit BuildCache(std::filesystem::path folder);

  const std::filesystem::path& folder() const { return folder_; }
  /// The entry of a key, marked as used now; nothing if there is none.
  std::optional<std::filesystem::path> find(const std::string& key) const;
  /// An empty folder to fill for a key. Removes what earlier processes left unfinished.
  Result<std::filesystem::path> begin(const std::string& key) const;
  /// Turns the folder of `begin` into the entry of the key (the first of two entries wins). Returns the entry's folder.
  Result<std::filesystem::path> commit(const std::string& key, const std::filesystem::path& filled) const;

 private:
  std::filesystem::path folder_;
};

}  // namespace tbci::runner
