// Finished products, kept by what went into them.
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
  /// What was used this recently is never removed: someone may be measuring it.
  std::chrono::seconds kept_at_least = std::chrono::hours(24);
};

/// An entry is a folder that appears whole or not at all. Several processes may share a cache.
class BuildCache {
 public:
  explicit BuildCache(BuildCacheSettings settings);

  /// The entry of a key, marked as used now; nothing where there is none.
  std::optional<std::filesystem::path> find(const std::string& key) const;
  /// An empty folder to fill for a key. What earlier processes left unfinished is removed.
  Result<std::filesystem::path> begin(const std::string& key) const;
  /// Makes what `begin` gave the entry of the key (an entry that came first wins), then removes the longest unused
  /// entries until the budget holds. Gives the entry's folder.
  Result<std::filesystem::path> commit(const std::string& key, const std::filesystem::path& filled) const;
  /// Removes the longest unused entries over the budget; how many.
  Result<int> evict() const;

 private:
  BuildCacheSettings settings_;
};

}  // namespace tbci::runner
