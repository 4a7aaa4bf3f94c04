// Splits a command line into an argument vector without a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::runner {

/// The words of a command as a POSIX shell splits them (Shell Command Language, 2.2 Quoting and 2.3 Token Recognition):
/// blanks separate words; a backslash, 'single' and "double" quotes remove the meaning of special characters. Expands
/// nothing: `*`, `?`, `[` and `~` stay as they are.
///
/// Errors (usage): an empty command, an unclosed quote, and syntax that needs a shell: `|`, `&`, `;`, `<`, `>`,
/// parentheses, `$NAME`, backticks, `NAME=value` before the program.
Result<std::vector<std::string>> shell_split(std::string_view command);

}  // namespace tbci::runner
