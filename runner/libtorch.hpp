// What lies under a prefix of LibTorch.
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/process.hpp"
#include "base/result.hpp"

namespace tbci::runner {

struct TorchVersion {
  std::string version;      ///< `2.13.0+cpu`
  std::string git_version;  ///< 40 hex digits; empty: unknown
};

/// The assignments of torch/version.py, read as text: it is never run.
TorchVersion parse_version_py(std::string_view text);
/// Reads version.py of a wheel, or build-version and build-hash of a zip. Error (environment) where neither is there.
Result<TorchVersion> read_torch_version(const std::filesystem::path& prefix);

/// Whether a worker can be built against the prefix and load it: its parts are there and the dynamic loader finds and
/// understands all that it needs. Runs nothing of it. Error (environment) saying what is wrong.
Status check_libtorch(ProcessRunner& processes, const std::filesystem::path& prefix, std::stop_token stop = {});

}  // namespace tbci::runner
