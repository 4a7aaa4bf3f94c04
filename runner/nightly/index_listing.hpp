// The published versions of a package: what pip can install here, and what its index adds to that. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runner/nightly/index_page.hpp"
#include "storage/model/build.hpp"

namespace tbci::runner {

/// What a wheel's file name says of it.
struct WheelName {
  std::string version;
  std::string python, platform;  ///< tags, several with dots between: `cp311`, `manylinux_2_28_x86_64`
};
/// Nothing for anything but a wheel of `package`.
std::optional<WheelName> parse_wheel_name(std::string_view file, std::string_view package);

/// What a machine can install.
struct Installer {
  std::string package;
  std::string machine;  ///< as platform tags end: `x86_64`
  bool pre_releases = true;
};

/// The published versions, the oldest first: those that pip can install, with what the page adds to them; and those on
/// the page alone that are newer than the oldest one of pip's. Of these a version is yanked where all its files for
/// this machine were taken back, else incomplete.
std::vector<model::Nightly> merge_listing(const std::vector<std::string>& installable,
                                          const std::vector<IndexFile>& files, const Installer& installer);

}  // namespace tbci::runner
