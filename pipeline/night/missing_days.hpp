// Days without a nightly, by the dates in the versions. Pure.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tbci::pipeline {

/// The date in a version of PyTorch's kind, `2.14.0.dev20261118+cpu`; nothing where it has none.
std::optional<std::chrono::sys_days> day_of_version(std::string_view version);

/// `2026-11-18`
std::string day_name(std::chrono::sys_days day);

struct MissingDay {
  std::chrono::sys_days day;
  std::string version;  ///< of that day, so that it sorts between its neighbours
};

/// The days between the first and the last of these versions (the oldest first) of which none is. Where more than
/// `most_missing_days` lie between two neighbours, nobody published nightlies then: none of those is missing.
inline constexpr int most_missing_days = 31;
std::vector<MissingDay> missing_days(const std::vector<std::string>& versions);

}  // namespace tbci::pipeline
