// The Python environment that builds use, made once of what the files of a commit ask for.
#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/nightly/pip_tool.hpp"
#include "runner/nightly/venv.hpp"
#include "runner/subject.hpp"

namespace tbci::runner {

struct BuildEnvironment {
  std::filesystem::path wheels;  ///< a folder of all wheels that are installed in it
  Venv venv = {};
};

/// The variables for the commands of a build: pip finds the wheels and asks no index, and the programs of the
/// environment come first on `path`, the PATH of the others. Pure.
std::map<std::string, std::string> variables_of(const BuildEnvironment& environment, const std::string& path);

/// Refers to its arguments, which must outlive it.
class BuildEnvironments {
 public:
  /// `folder`: contains one environment for each list of requirements; several processes may share it. `cache`: of pip.
  BuildEnvironments(const RequirementSettings& settings, std::filesystem::path folder, std::filesystem::path cache,
                    ProcessRunner& processes, const Clock& clock, LineSink progress, Confinement confinement);

  /// The environment with these requirements (requirements.hpp): found, marked as used now, or made. Only making it
  /// asks the index. Wheels only, each checked (wheel_check.hpp), unpacked without a network, and compared with its
  /// RECORD. Errors: failed where the index has no version that is asked for, with its name, where the requirements
  /// contradict one another, or where a wheel is refused; transient, machine, killed or interrupted where the index,
  /// the network or the machine is at fault; usage where the packages of the configuration alone fail like that.
  Result<BuildEnvironment> with(const std::vector<std::string>& requirements, std::stop_token stop) const;

 private:
  Status check_own_packages(const Error& trouble, const std::vector<std::string>& requirements,
                            std::stop_token stop) const;
  Result<std::string> python_version(std::stop_token stop) const;
  Status make(const BuildEnvironment& environment, const std::vector<std::string>& requirements,
              std::stop_token stop) const;
  Status run(std::string_view doing, Command command, const std::filesystem::path& writable,
             std::stop_token stop) const;
  Status check_wheels(const std::filesystem::path& wheels, std::vector<std::filesystem::path>& files) const;

  const RequirementSettings& settings_;
  std::filesystem::path folder_;
  ProcessRunner& processes_;
  const Clock& clock_;
  LineSink progress_;
  NightlySettings index_;
  PipPlace place_;
  PipTool pip_;
};

}  // namespace tbci::runner
