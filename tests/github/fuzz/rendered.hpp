// What GitHub's renderer (cmark-gfm, with GitHub's extensions) makes of Markdown, as a list that tests can compare.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tbci::fuzz {

/// A tag, or the text between two.
struct Part {
  bool tag = false;   ///< `<td align="right">`, `</td>`, a comment
  bool code = false;  ///< text in <code> or <pre>, where GitHub links nothing
  std::string text;   ///< of a text: decoded, with its spaces; a `$` that was an entity is U+E000
  bool operator==(const Part&) const = default;
};

/// Raw HTML stays as it is, so that it is seen. Ends the program where cmark-gfm lacks an extension.
std::vector<Part> rendered(const std::string& markdown);

/// The tags alone, one a line.
std::string outline(const std::vector<Part>& parts);

/// The text of a part without U+200B, which interrupts references and is not seen.
std::string as_seen(std::string_view text);

/// What GitHub makes of text after cmark-gfm, outside of code: `mention @octocat`, `issue #12`, `commit deadbee`,
/// `address`, `emoji`, `mathematics`; in the order of the text.
std::vector<std::string> references(const std::vector<Part>& parts);

}  // namespace tbci::fuzz
