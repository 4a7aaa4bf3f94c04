// The command line's errors, worded for people. The library that parses says `A subcommand is required`; we say what is
// wrong, where, and what to do: `unknown command 'chekc'; did you mean 'check'? See tbci --help`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"

namespace CLI {
class App;
}

namespace tbci::daemon {

/// Parses the arguments (without the program's name) and prepares the chosen command. The text of `--help` or
/// `--version` where that is asked for. Errors (usage) are one line.
Result<std::optional<std::string>> parse(CLI::App& app, const std::vector<std::string>& arguments);

}  // namespace tbci::daemon
