// The fingerprint of the machine: everything about it that can move a number.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

/// Where the facts are read; tests lay out folders of their own.
struct EnvironmentSettings {
  std::filesystem::path root = "/";  ///< proc/ and sys/ lie in it
  bool ask_gpu = true;               ///< run nvidia-smi, where it is installed
  /// Environment variables that a worker inherits; nothing: those of this process.
  std::optional<std::map<std::string, std::string>> variables;
};

/// Facts that hold still while nothing is changed: no clock of the moment, no load, no free memory. What cannot be read
/// is left out. The libraries that are really loaded, only a worker can tell: see worker_environment.hpp.
model::Environment read_environment(ProcessRunner& processes, const EnvironmentSettings& settings = {},
                                    std::stop_token stop = {});

/// The first line of `c++ --version`; empty where there is no compiler. Error (interrupted) where we were asked to
/// stop.
Result<std::string> compiler_version(ProcessRunner& processes, std::stop_token stop = {});

/// One fact that differs. Empty: not known there.
struct FactChange {
  std::string name, before, after;
};
/// What differs between two machines, or one machine at two times, what moves numbers most first.
std::vector<FactChange> changes_between(const model::Environment& before, const model::Environment& after);

/// The same as a sentence: `the governor is powersave instead of performance; workers had 4 threads instead of 1`. Of
/// more than `most` changes the last are only named. Empty where nothing differs.
std::string readable_diff(const model::Environment& before, const model::Environment& after, std::size_t most = 8);

}  // namespace tbci::runner
