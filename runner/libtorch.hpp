// Reads and checks a LibTorch installation.
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
  std::string cuda = {};    ///< `13.0`; empty: none, or unknown
};

/// The assignments in torch/version.py, read as text: the file is never executed.
TorchVersion parse_version_py(std::string_view text);
/// Reads version.py of a wheel, or build-version and build-hash of a zip. Error (machine) if both are missing.
Result<TorchVersion> read_torch_version(const std::filesystem::path& prefix);

/// What the dynamic loader says of a program or a library (`ldd -r`): the libraries that it loads, with their paths,
/// and what it misses. Runs none of its code. Error (failed) with the loader's words where it is neither; (machine)
/// where the machine cannot look; (interrupted).
Result<std::string> loader_report(ProcessRunner& processes, const std::filesystem::path& file, std::stop_token stop);
/// The first three libraries and symbols that the report misses, in one line; empty: it misses none.
std::string missing_libraries(std::string_view report);

/// Checks that a worker can be built against the prefix and load it: its parts exist, and the dynamic loader finds all
/// libraries and symbols that it needs. Runs none of its code. Error (failed) saying what is wrong with it;
/// (machine) where the machine cannot look.
Status check_libtorch(ProcessRunner& processes, const std::filesystem::path& prefix, std::stop_token stop = {});

}  // namespace tbci::runner
