// The published versions of a package: what pip can install here, and what its index adds to that. Pure.
#pragma once

#include <optional>
#include <set>
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

/// Builds of one version that differ in their local label only (`2.13.0+cpu`, `2.13.0+cu130`) are different things: a
/// night never compares one with the other.
struct Labels {
  std::string kept = {};  ///< without the plus; empty: none
  std::set<std::string> others =
      {};  ///< of which an index has builds beside those kept; not filled where one is wanted
  std::set<std::string> several = {};  ///< versions, without labels, that have several
  bool only_kept = false;              ///< one is wanted: nothing but it
};
/// Of the versions that pip can install. Without a label that is wanted, of a version with several labels the highest
/// is kept, as by pip; other versions with one of the others (uploaded before those kept, perhaps) are not taken for
/// them. Pure.
Labels labels_of(const std::vector<std::string>& installable, const std::string& wanted);
/// Whether a version is listed.
bool is_kept(const Labels& labels, std::string_view version);

/// What a machine can install.
struct Installer {
  std::string package;
  std::string machine;  ///< as platform tags end: `x86_64`
  bool pre_releases = true;
  Labels labels = {};
};

/// The published versions, the oldest first, of the labels that are kept: those that pip can install, with what the
/// page adds to them; and those on the page alone that are newer than the oldest one of pip's. Of these a version is
/// yanked where all its files for this machine were taken back, else incomplete.
std::vector<model::Nightly> merge_listing(const std::vector<std::string>& installable,
                                          const std::vector<IndexFile>& files, const Installer& installer);

}  // namespace tbci::runner
