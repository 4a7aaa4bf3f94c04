// One installation of a package by pip: into an environment of its own, and only what was checked.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>

#include "runner/line_sink.hpp"
#include "runner/nightly/pip_tool.hpp"

namespace tbci::runner {

/// The venv of a package, and what lies in it.
struct Venv {
  std::filesystem::path folder;
  std::filesystem::path python() const { return folder / "bin/python"; }
  /// Written last: a venv without it is incomplete. (A venv contains its own path, so it cannot be renamed into place.)
  std::filesystem::path marker() const { return folder / ".complete"; }
  /// `site-packages`, where its packages lie. Error (failed) where there is none.
  Result<std::filesystem::path> packages() const;
};

/// The folder `torch` of a venv. Error (failed) where nothing was installed of that name.
Result<std::filesystem::path> find_torch(const Venv& venv);

/// Refers to its arguments, which must outlive it.
class PipInstallation {
 public:
  PipInstallation(const NightlySettings& settings, const PipTool& pip, LineSink progress)
      : settings_(settings), pip_(pip), progress_(std::move(progress)) {}

  /// Makes the venv, with what was there before removed. Downloads the wheels, refuses the ones that would do harm
  /// (wheel_check.hpp), unpacks them without a network, compares the files with the wheels' RECORDs
  /// (installed_files.hpp), and at last imports torch and runs a first operator. Error `failed` if the package is at
  /// fault, `usage` if it would install CUDA and must not; other kinds if the machine or the network is.
  Status make(const Venv& venv, const std::string& version, std::stop_token stop) const;

 private:
  Status run(std::string_view doing, Command command, const Venv& venv, std::stop_token stop) const;
  Status refuse_cuda(const Venv& venv, const std::string& requirement, std::stop_token stop) const;
  Status check_wheels(const Venv& venv) const;
  Status try_torch(const Venv& venv, const std::string& requirement, std::stop_token stop) const;

  const NightlySettings& settings_;
  const PipTool& pip_;
  LineSink progress_;
};

}  // namespace tbci::runner
