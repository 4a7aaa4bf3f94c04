// pip as a tool: its commands for one source of nightlies, confined, and what its failures mean.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/private_home.hpp"
#include "runner/subject.hpp"

namespace tbci::runner {

struct PipPlace {
  std::filesystem::path venvs;  ///< where they are created
  /// A clone of the subject's repository, which may be missing; it resolves the commit of the nightly branch that an
  /// installation names to the commit of main.
  std::filesystem::path repository = {};
  std::filesystem::path cache = {};  ///< of pip, unless PIP_CACHE_DIR is set; empty: pip keeps none
  Confinement confinement = {};
};

/// pip reads no configuration but what docs/manual.md names. Refers to its arguments, which must outlive it.
class PipTool {
 public:
  PipTool(const NightlySettings& settings, const PipPlace& place, ProcessRunner& processes)
      : settings_(settings), place_(place), processes_(processes) {}

  /// A call of pip that talks to the index: `arguments`, then those of the settings. Wheels only: a source distribution
  /// would run its own code.
  Command asking_index(const std::filesystem::path& python, std::vector<std::string> arguments) const;
  /// The same where nothing but pages is wanted: with as much memory as they need.
  Command reading_index(const std::filesystem::path& python, std::vector<std::string> arguments) const;
  /// One that talks to nobody.
  Command offline(const std::filesystem::path& python, std::vector<std::string> arguments) const;
  /// The address of the index that pip asks first: of the settings, of PIP_INDEX_URL, or of pip's configuration. It
  /// may hold credentials. Empty: pip's own.
  std::string index_address(std::stop_token stop) const;
  /// `venv`: the folder that it may write besides its home and its cache; empty: none. What is not pip is confined in
  /// the same way.
  Result<ProcessOutcome> run(Command& command, const std::filesystem::path& venv, std::stop_token stop) const;

 private:
  const NightlySettings& settings_;
  const PipPlace& place_;
  ProcessRunner& processes_;
};

/// Whether pip says that the index has other versions, and not the one that was asked for. An index that does not
/// answer, or answers 503, has no versions at all for pip: it says so in the words it has for a package that does not
/// exist.
bool has_only_others(std::string_view said);

/// The error of a call that failed: `transient` where the network did, `failed` where the version is missing for good,
/// else `machine`, `killed` or `interrupted`.
Error pip_failure(std::string_view doing, const ProcessOutcome& outcome, const Command& command);

}  // namespace tbci::runner
