// Makes hostile text (commit messages, names of authors and benchmarks, server answers) safe for GitHub's Markdown.
// All functions are pure and return valid UTF-8.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tbci::github {

/// The longest prefix of at most `bytes` bytes that ends between two characters. `text` is UTF-8.
std::string_view cut(std::string_view text, std::size_t bytes);

/// One line of plain text for places without Markdown (titles, errors): at most `bytes` bytes, with an ellipsis if it
/// was cut, without control characters and characters that change the writing direction.
std::string plain_line(std::string_view text, std::size_t bytes = 200);

/// One line of text that GitHub shows literally, also in a table: no HTML, emphasis, links, images, notifications or
/// references. `bytes` limits the text before escaping.
std::string escaped(std::string_view text, std::size_t bytes = 200);

/// One line as inline code. Not for tables, where GitHub interprets `|` even in code. Empty text becomes `(empty)`.
std::string inline_code(std::string_view text, std::size_t bytes = 200);

/// A fenced code block of several lines, with a newline at the end. `language` must not be hostile.
std::string code_block(std::string_view text, std::string_view language = {});

}  // namespace tbci::github
