// Stores finished products by a key of their inputs.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace tbci::runner {

struct BuildCacheSettings {
  std::filesystem::path folder;
  std::uint64_t budget_bytes = std::uint64_t{20} << 30;
  /// Never removes an entry used more recently than this: a process may be measuring it.
  std::chrono::seconds kept_at_least = std::chrono::hours(24);
};

/// An entry is a folder that appears atomically. Several processes may share a cache.
class BuildCache {
 public:
  explicit BuildCache(BuildCacheSettings settings);

  /// The entry of a key, marked as used now; nothing if there is none.
  std::optional<std::filesystem::path> find(const std::string& key) const;
  /// An empty folder to fill for a key. Removes what earlier processes left unfinished.
  Result<std::filesystem::path> begin(const std::string& key) const;
  /// Turns the folder of `begin` into the entry of the key (the first of two entries wins), then removes the longest
  /// unused entries until the budget is kept. Returns the entry's folder.
  Result<std::filesystem::path> commit(const std::string& key, const std::filesystem::path& filled) const;
  /// Removes the longest unused entries over the budget. Returns how many.
  Result<int> evict() const;

 private:
  BuildCacheSettings settings_;
};

}  // namespace tbci::runner
