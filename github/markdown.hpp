// Hostile text (commit messages, names of authors and benchmarks, answers of servers) made safe for GitHub's Markdown.
// All functions are pure and give valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tbci::github {

/// The longest prefix of at most `bytes` bytes that ends between two characters. `text` is UTF-8.
std::string_view cut(std::string_view text, std::size_t bytes);

/// One line of plain text for where no Markdown is read (titles, errors): at most `bytes` bytes with an ellipsis where
/// it was cut, without control characters and without those that turn the direction of writing.
std::string plain_line(std::string_view text, std::size_t bytes = 200);

/// One line of text that GitHub shows as it was written, also in a table: no HTML, no emphasis, no link, no image,
/// nobody is notified, nothing is referred to. `bytes` limits the text before escaping.
std::string escaped(std::string_view text, std::size_t bytes = 200);

/// One line as inline code. Not for tables, where GitHub reads `|` even in code. Empty text gives `(empty)`.
std::string inline_code(std::string_view text, std::size_t bytes = 200);

/// A fenced code block of several lines, with a newline at the end. `language` is ours, never hostile.
std::string code_block(std::string_view text, std::string_view language = {});

}  // namespace tbci::github
