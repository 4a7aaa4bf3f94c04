// Nightlies from a package index, installed by pip, each in its own venv.
#pragma once

#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "runner/nightly/index_access.hpp"
#include "runner/nightly/index_listing.hpp"
#include "runner/nightly/index_page.hpp"
#include "runner/nightly/nightly_source.hpp"
#include "runner/nightly/pip_installation.hpp"
#include "runner/nightly/pip_tool.hpp"

namespace tbci::runner {

/// pip reads no configuration but what docs/manual.md names, and installs nothing but wheels that were checked.
class PipNightlies final : public NightlySource {
 public:
  PipNightlies(NightlySettings settings, PipPlace place, ProcessRunner& processes, LineSink progress = {},
               std::optional<IndexAccess> index = {});
  Result<std::vector<model::Nightly>> list(std::stop_token stop) override;
  Result<model::Product> install(const model::Nightly& nightly, std::stop_token stop) override;

 private:
  PipTool tool() const { return {settings_, place_, processes_}; }
  Result<std::vector<std::string>> versions(std::stop_token stop);
  void read_page(const std::stop_token& stop);
  Result<model::Product> product_of(const Venv& venv) const;
  /// Whether pip misses a version that the last list had, as one of several mirrors is behind; or what the newest one
  /// depends on, which may be uploaded after it, as PyTorch's Triton is.
  bool is_gone_for_now(const std::string& version, std::string_view said) const;
  Status usable_settings() const;
  Status usable_labels(const Labels& labels, const std::vector<std::string>& found) const;

  NightlySettings settings_;
  PipPlace place_;
  ProcessRunner& processes_;
  LineSink progress_;
  std::optional<IndexAccess> index_;
  std::vector<IndexFile> page_;                ///< as it was when it could last be read
  std::set<std::string, std::less<>> listed_;  ///< what pip could install by the last list
  std::string newest_;                         ///< of them
};

}  // namespace tbci::runner
