// Nightlies, commits, and the builds made of them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"

namespace tbci::model {

/// Whether a published nightly can be measured.
enum class Availability {
  complete,
  incomplete,  ///< nothing of it that this machine can install is there, or not yet
  yanked,      ///< its publisher took it back; it can still be installed by its name
};
std::string_view to_string(Availability availability);
Result<Availability> availability_from(std::string_view text);

/// What the subject published on a night.
struct Nightly {
  std::string name;         ///< tells its age, by base/version_order.hpp: `2026-01-07`, `2.13.0.dev20260518`
  std::string commit = {};  ///< of the main branch, 40 hex digits; empty where it is known only once installed
  Availability availability = Availability::complete;
  std::string remark = {};                  ///< of one that is not complete: what is wrong; one line, for people
  std::optional<TimePoint> uploaded = {};   ///< its first file for this machine, where the index tells
  std::optional<std::uint64_t> bytes = {};  ///< to download, without what it depends on, where the index tells
};

/// Where a usable installation of the subject lies: all that a worker needs.
struct Product {
  std::filesystem::path libtorch;              ///< prefix with lib/ and share/cmake/Torch
  std::vector<std::filesystem::path> preload;  ///< libraries that the worker loads before the models run
  std::filesystem::path python;                ///< interpreter that imports this torch; empty: none
  std::string commit;                          ///< of the main branch, as the installation says; empty: unknown
  std::string version;                         ///< as the installation says
  std::filesystem::path folder = {};           ///< of a build that is not a LibTorch, for suites of its own; else empty
  bool operator==(const Product&) const = default;
};

enum class BuildKind { nightly, commit };
enum class BuildState {
  pending,  ///< begun or planned
  ready,    ///< its product can be measured
  failed,   ///< does not build or install, for good: not tried again
};
std::string_view to_string(BuildKind kind);
std::string_view to_string(BuildState state);
Result<BuildKind> build_kind_from(std::string_view text);
Result<BuildState> build_state_from(std::string_view text);

/// One build of a subject, as stored. (subject, kind, name) is unique.
struct Build {
  std::int64_t id = 0;
  std::string subject;
  BuildKind kind{};
  std::string name;  ///< of the nightly, or the commit
  BuildState state{};
  Product product;      ///< of a ready build
  std::string failure;  ///< of a failed one: the line that says why
  /// Facts of the libraries that come with it, as they were loaded: `library.openmp` = `libgomp.so.1 3f2a91c0b3d27e11`.
  /// Empty: never loaded yet.
  std::map<std::string, std::string> libraries;
  TimePoint started{};
  std::optional<TimePoint> finished;
};

}  // namespace tbci::model
