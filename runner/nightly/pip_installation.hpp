// One installation of a package: into an environment of its own, of what pip chose, and only what was checked.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "runner/line_sink.hpp"
#include "runner/nightly/pip_text.hpp"
#include "runner/nightly/pip_tool.hpp"
#include "runner/nightly/shared_packages.hpp"
#include "runner/nightly/venv.hpp"
#include "runner/nightly/wheel_downloads.hpp"

namespace tbci::runner {

/// Refers to its arguments, which must outlive it.
class PipInstallation {
 public:
  PipInstallation(const NightlySettings& settings, const PipTool& pip, WheelDownloads downloads, LineSink progress)
      : settings_(settings), pip_(pip), downloads_(std::move(downloads)), progress_(std::move(progress)) {}

  /// Makes the venv, with what was there before removed. Links what other environments beside it have already
  /// (shared_packages.hpp), downloads the other wheels, refuses those that would do harm (wheel_check.hpp), unpacks
  /// them without a network by uv (uv_tool.hpp) or pip, compares all files with the wheels' RECORDs
  /// (installed_files.hpp), and at last imports torch and runs a first operator. Only what pip unpacked is refused:
  /// what uv cannot unpack, or unpacks to other files than the RECORDs say, pip unpacks. Error `failed` if the package
  /// is at fault, `usage` if it would install CUDA and must not, or if uv is wanted and not there; other kinds if the
  /// machine or the network is.
  Status make(const Venv& venv, const std::string& version, std::stop_token stop) const;

 private:
  /// What is tried again in another way before the nightly is at fault.
  struct Way {
    std::optional<std::string> uv = {};  ///< its version; nothing: pip unpacks
    bool shares = true;                  ///< a damaged file of another environment is not the fault of this nightly
  };
  struct Chosen {
    std::vector<ResolvedWheel> wheels = {};
    std::vector<ResolvedWheel> missing = {};  ///< those that no other environment has
    SharedPackages shared = {};
  };
  Result<Way> first_way(std::stop_token stop) const;
  bool another_way(Way& way, const Error& error) const;
  Result<Chosen> prepare(const Venv& venv, const std::string& requirement, const Way& way, std::stop_token stop) const;
  Status place(const Venv& venv, const std::string& requirement, const Chosen& chosen, const Way& way,
               std::stop_token stop) const;
  Status run(std::string_view doing, Command command, const Venv& venv, std::stop_token stop) const;
  Result<std::vector<ResolvedWheel>> resolve(const Venv& venv, const std::string& requirement,
                                             std::stop_token stop) const;
  Status refuse_cuda(const std::string& requirement, const std::vector<ResolvedWheel>& wheels) const;
  Status download(const Venv& venv, const std::string& requirement, const std::vector<ResolvedWheel>& wheels,
                  std::stop_token stop) const;
  Status fetch(const Venv& venv, const std::string& requirement, const std::vector<ResolvedWheel>& wheels,
               std::stop_token stop) const;
  Status check_wheels(const Venv& venv, const std::vector<ResolvedWheel>& wheels) const;
  Status unpack(const Venv& venv, const std::string& requirement, const Way& way, std::stop_token stop) const;
  Status unpack_by_uv(const Venv& venv, const std::string& requirement, const std::string& uv,
                      const std::vector<std::filesystem::path>& wheels, std::stop_token stop) const;
  Status try_torch(const Venv& venv, const std::string& requirement, std::stop_token stop) const;

  const NightlySettings& settings_;
  const PipTool& pip_;
  WheelDownloads downloads_;
  LineSink progress_;
};

}  // namespace tbci::runner
