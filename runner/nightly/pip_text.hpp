// What pip prints. Pure; the texts are hostile.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::runner {

/// The versions that `pip index versions` printed, oldest first.
Result<std::vector<std::string>> parse_pip_index(std::string_view output);
/// The versions in the error message of a pip that found no match: `(from versions: 1.0, 1.1)`; oldest first.
Result<std::vector<std::string>> parse_pip_complaint(std::string_view error);
/// A wheel that pip chose for an installation.
struct ResolvedWheel {
  std::string name, version;
  std::string sha256 = {};  ///< 64 hexadecimal digits; empty where the index does not name it
  std::string url = {};     ///< where pip would download it; empty where it does not say
  bool operator==(const ResolvedWheel&) const = default;
};
/// What pip would install, by the report of `pip install --dry-run --report FILE`. Error (failed) where that is not a
/// report, or holds what could not stand in a file of requirements.
Result<std::vector<ResolvedWheel>> resolved_wheels(std::string_view report);
/// The names of those that are parts of CUDA.
std::vector<std::string> cuda_packages(const std::vector<ResolvedWheel>& wheels);
/// The lines of a file of requirements that asks for these wheels and no others, with their digests where all are
/// known.
std::string requirements_for(const std::vector<ResolvedWheel>& wheels);
/// Why pip found no set of packages that fits: `The user requested torch==2.15.0; The user requested (constraint)
/// torch<=2.14.1`. Empty where it says nothing of a conflict.
std::string pip_conflict(std::string_view output);
/// The commit of main that the message of a commit of the nightly branch names:
/// `2026-01-07 nightly release (<40 hex digits>)`.
std::optional<std::string> main_commit_of_nightly(std::string_view message);

}  // namespace tbci::runner
