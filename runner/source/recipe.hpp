// Runs the commands that build a commit, and decides whether a failure is the fault of the commit or the machine.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/line_sink.hpp"
#include "runner/private_home.hpp"

namespace tbci::runner {

/// The values of the placeholders: `{torch}`, `{jobs}`, `{source}`, `{prefix}`, perhaps `{python}`, `{wheels}`.
using Placeholders = std::map<std::string, std::string>;

/// Replaces the placeholders. Error (usage) for an unknown one, with the nearest name. `{{` is a brace.
Result<std::string> fill_in(std::string_view text, const Placeholders& placeholders);

/// The text as `fill_in` gives it back unchanged.
std::string without_placeholders(std::string_view text);

struct Recipe {
  std::vector<std::vector<std::string>> commands;
  std::map<std::string, std::string> environment;
  std::chrono::milliseconds time_limit = std::chrono::hours(4);  ///< of all commands together
};

struct RecipePlace {
  std::filesystem::path directory;                   ///< where the commands run
  std::filesystem::path log;                         ///< receives their output, up to 256 MiB; overwritten
  std::string heading = {};                          ///< the first line of the log, no part of what it is judged by
  Confinement confinement = {};                      ///< of the commands
  std::vector<std::filesystem::path> writable = {};  ///< folders that they may write, if they are confined
};

struct RecipeOutcome {
  bool succeeded = false;
  std::string telling_line;  ///< why it failed
};

/// Runs the commands in order until one fails. A command that fails is an outcome. Errors: `killed` at the time limit
/// or by SIGKILL, which the machine or the commit may have caused; all others are not the commit's fault: a missing
/// program, no disk space, no memory, a stop.
Result<RecipeOutcome> run_recipe(ProcessRunner& processes, const Recipe& recipe, const Placeholders& placeholders,
                                 const RecipePlace& place, const LineSink& progress, std::stop_token stop);

/// The line of a log that best explains the failure: the first `error:` of a compiler, linker or build tool, otherwise
/// the last line that is not empty. One line of valid UTF-8.
std::string telling_line(std::string_view log);

}  // namespace tbci::runner
