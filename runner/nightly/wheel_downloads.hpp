// Downloads the wheels that pip chose, so that a download that breaks off costs no byte twice, whatever pip is there.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <vector>

#include "runner/line_sink.hpp"
#include "runner/nightly/index_access.hpp"
#include "runner/nightly/pip_text.hpp"

namespace tbci::runner {

/// Refers to what its arguments refer to.
class WheelDownloads {
 public:
  /// `kept`: the folder for what is not installed yet; empty, as without access to the index: all is left to pip.
  WheelDownloads(std::optional<IndexAccess> index, std::filesystem::path kept, LineSink progress)
      : index_(std::move(index)), kept_(std::move(kept)), progress_(std::move(progress)) {}

  /// Puts the wheels into `destination`. Returns those that it leaves to pip: what an address does not name that
  /// anybody may read by HTTP. Errors as of `download` (base/resumed_download.hpp) but for refusals, which are left to
  /// pip too.
  Result<std::vector<ResolvedWheel>> fetch(const std::vector<ResolvedWheel>& wheels,
                                           const std::filesystem::path& destination, std::stop_token stop) const;
  /// Removes what was kept of them.
  void forget(const std::vector<ResolvedWheel>& wheels) const;

 private:
  std::filesystem::path place_of(const ResolvedWheel& wheel) const;
  Result<bool> fetch_one(const ResolvedWheel& wheel, const std::filesystem::path& destination,
                         const std::stop_token& stop) const;

  std::optional<IndexAccess> index_;
  std::filesystem::path kept_;
  LineSink progress_;
};

}  // namespace tbci::runner
