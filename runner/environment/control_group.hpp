// What a container, or any control group, allows its processes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tbci::runner {

/// Of our own control group and of all above it, the tightest. Both versions of control groups are read.
struct GroupLimits {
  std::optional<double> cpus;                 ///< CPU time a second; nothing: no limit
  std::optional<std::uint64_t> memory_bytes;  ///< nothing: no limit
  std::string cpu_list;                       ///< CPUs that it may use, `0-3`; empty: unknown
  /// How often the scheduler stopped the group for having used up its CPU time, since the group was made.
  std::uint64_t throttled = 0;
};

/// `root`: the folder in which proc/ and sys/ lie.
GroupLimits group_limits(const std::filesystem::path& root = "/");

}  // namespace tbci::runner
