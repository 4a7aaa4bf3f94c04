// Reads the limits of a container or any other control group.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tbci::runner {

/// The tightest limits of this process's control group and its parents, in both versions of control groups.
struct GroupLimits {
  std::optional<double> cpus;                 ///< CPU seconds per second; nothing: no limit
  std::optional<std::uint64_t> memory_bytes;  ///< nothing: no limit
  std::string cpu_list;                       ///< CPUs that the group may use, `0-3`; empty: unknown
  /// How often the scheduler has throttled the group since its creation because it had used up its CPU time.
  std::uint64_t throttled = 0;
};

/// `root`: the folder that contains proc/ and sys/.
GroupLimits group_limits(const std::filesystem::path& root = "/");

}  // namespace tbci::runner
