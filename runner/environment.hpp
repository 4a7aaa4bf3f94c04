// The fingerprint of the machine: everything about it that can move a number.
#pragma once

#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "base/process.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

/// Where the facts are read; tests lay out folders of their own.
struct EnvironmentSettings {
  std::filesystem::path root = "/";  ///< proc/, sys/ and etc/ lie in it
  bool ask_gpu = true;               ///< run nvidia-smi, where it is installed
};

/// Facts that hold still while nothing is changed: no clock of the moment, no load, no free memory. What cannot be read
/// is left out.
model::Environment read_environment(ProcessRunner& processes, const EnvironmentSettings& settings = {},
                                    std::stop_token stop = {});

/// The first line of `c++ --version`; empty where there is no compiler. Error (interrupted) where we were asked to
/// stop.
Result<std::string> compiler_version(ProcessRunner& processes, std::stop_token stop = {});

/// `governor: powersave -> performance; kernel: 6.1.0 -> 6.5.0`; empty where nothing differs.
std::string readable_diff(const model::Environment& before, const model::Environment& after);

/// The CPU limit of our control group as a number of CPUs; nothing where there is none. `root` as above.
std::optional<double> cpu_limit(const std::filesystem::path& root = "/");

}  // namespace tbci::runner
