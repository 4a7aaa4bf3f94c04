// Runs the commands that build a commit, and judges how they ended.
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

namespace tbci::runner {

/// What the placeholders stand for: `{torch}`, `{jobs}`, `{source}`, `{prefix}`.
using Placeholders = std::map<std::string, std::string>;

/// The text with its placeholders filled in. Error (usage) for an unknown one, naming the nearest. `{{` is a brace.
Result<std::string> fill_in(std::string_view text, const Placeholders& placeholders);

struct Recipe {
  std::vector<std::vector<std::string>> commands;
  std::map<std::string, std::string> environment;
  std::chrono::milliseconds time_limit = std::chrono::hours(4);  ///< of all commands together
};

struct RecipePlace {
  std::filesystem::path directory;  ///< where the commands run
  std::filesystem::path log;        ///< takes what they print, up to 256 MiB; made anew
};

struct RecipeOutcome {
  bool succeeded = false;
  std::string telling_line;  ///< why it did not
};

/// Runs the commands in order until one fails. That a command fails is an outcome; an error is what is not the
/// commit's fault: a missing program, no space, memory that ran out, the time limit, a stop.
Result<RecipeOutcome> run_recipe(ProcessRunner& processes, const Recipe& recipe, const Placeholders& placeholders,
                                 const RecipePlace& place, const LineSink& progress, std::stop_token stop);

/// The line of a log that tells best why it failed: the first `error:` of a compiler, linker or build tool, else the
/// last that is not empty. One line of valid UTF-8.
std::string telling_line(std::string_view log);
/// Why a failed log is the machine's fault and not the source's (no space, no memory, no network, a tool that is
/// missing); empty where it is not.
std::string machine_trouble(std::string_view log);

}  // namespace tbci::runner
