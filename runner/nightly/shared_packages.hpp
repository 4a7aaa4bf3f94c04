// Files that other environments of the subject have already: on the disk once, under as many names as environments.
//
// An environment is written while it is made and never after, so that one file can belong to several. What is linked is
// checked by its digest like everything else (installed_files.hpp), which must follow.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "runner/nightly/pip_text.hpp"
#include "runner/nightly/venv.hpp"

namespace tbci::runner {

/// Says in the environment which wheels it is made of, for those that are made later.
Status keep_wheel_list(const Venv& venv, const std::vector<ResolvedWheel>& wheels);

/// What the complete environments of a folder have. Names files that may be removed at any time: what cannot be linked
/// is downloaded.
class SharedPackages {
 public:
  /// All environments in `venvs` but `own`.
  static SharedPackages read(const std::filesystem::path& venvs, const Venv& own);

  /// Links the files of a wheel into `packages`. False, and nothing is left of it, where no environment has that wheel,
  /// or it has programs (which name their environment) or data outside the packages.
  bool link_package(const ResolvedWheel& wheel, const std::filesystem::path& packages) const;
  /// Replaces the larger files of the packages that lie in `packages` by links to equal ones (equal by their RECORDs).
  void link_files(const std::filesystem::path& packages) const;

 private:
  void add(const Venv& venv);

  std::map<std::string, std::filesystem::path> info_by_wheel_;   // `.dist-info` by the SHA-256 of the wheel
  std::map<std::string, std::filesystem::path> file_by_digest_;  // by the digest as a RECORD has it
};

}  // namespace tbci::runner
