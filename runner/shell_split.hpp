// A command as a person types it, split into an argument vector: no shell ever reads it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::runner {

/// The words of a command as a POSIX shell splits them (Shell Command Language, 2.2 Quoting and 2.3 Token Recognition):
/// blanks part words; a backslash, 'single' and "double" quotes take the meaning from what they hold. Nothing is
/// expanded: `*`, `?`, `[` and `~` stand for themselves.
///
/// Errors (usage): nothing in it, a quote that is not closed, and what only a shell could do and would be a silent
/// surprise as a plain word: `|`, `&`, `;`, `<`, `>`, parentheses, `$NAME`, backticks, `NAME=value` before the program.
Result<std::vector<std::string>> shell_split(std::string_view command);

}  // namespace tbci::runner
