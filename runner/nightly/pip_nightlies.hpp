// Nightlies from a package index, installed by pip, each in its own venv.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/nightly/nightly_source.hpp"

namespace tbci::runner {

struct PipPlace {
  std::filesystem::path venvs;  ///< where they are created
  /// A clone of the subject's repository, which may be missing; it resolves the commit of the nightly branch that an
  /// installation names to the commit of main.
  std::filesystem::path repository = {};
  std::filesystem::path cache = {};  ///< of pip, unless PIP_CACHE_DIR is set; empty: pip keeps none
  Confinement confinement = {};
};

/// pip reads no configuration but what docs/manual.md names, and installs nothing but wheels: a source distribution
/// would run its own code.
class PipNightlies final : public NightlySource {
 public:
  PipNightlies(NightlySettings settings, PipPlace place, ProcessRunner& processes, LineSink progress = {});
  Result<std::vector<model::Nightly>> list(std::stop_token stop) override;
  Result<model::Product> install(const model::Nightly& nightly, std::stop_token stop) override;

 private:
  struct Venv;
  Result<std::vector<std::string>> versions(std::stop_token stop);
  Status make_venv(const Venv& venv, const std::string& version, std::stop_token stop);
  Status refuse_cuda(const Venv& venv, const std::string& requirement, std::stop_token stop);
  Result<model::Product> product_of(const Venv& venv) const;
  /// Whether pip misses a version that the last list had, as one of several mirrors is behind; or what the newest one
  /// depends on, which may be uploaded after it, as PyTorch's Triton is.
  bool is_gone_for_now(const std::string& version, std::string_view said) const;
  Result<ProcessOutcome> run_pip(Command& command, const std::filesystem::path& venv, std::stop_token stop);
  Command pip(const std::filesystem::path& python, std::vector<std::string> arguments) const;
  std::vector<std::string> options() const;
  Status usable_settings() const;

  NightlySettings settings_;
  PipPlace place_;
  ProcessRunner& processes_;
  LineSink progress_;
  std::set<std::string, std::less<>> listed_;  ///< all versions of the last list
  std::string newest_;                         ///< of them
};

}  // namespace tbci::runner
