// What one commit does to the files, as data (see changes/ for the text form).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::miniature {

/// Path to text.
using Tree = std::map<std::string, std::string>;

struct Edit {
  enum class Kind { replace, append };
  Kind kind = Kind::replace;
  std::string path;
  std::string before;  ///< replace: occurs exactly once in the file
  std::string after;
};

struct Change {
  std::string subject;
  std::string body;
  std::vector<Edit> edits;
  // Faults only:
  std::string fault;
  double amount = 0;  ///< the number that stands for a strength of 1
  std::vector<std::string> benchmarks;
};

/// Replaces every `before` in the text.
void replace_all(std::string& text, std::string_view before, std::string_view after);

/// Reads the text form: sections that begin with `=== commit`, `=== fault`, `=== replace`, `=== with`, `=== append`.
Result<std::vector<Change>> parse_changes(std::string_view text);

/// Error (failed) where a text that is to be replaced does not occur exactly once.
Status apply_change(const Change& change, Tree& tree);

/// The change that reverts the replacements of `change`.
Change reversed(const Change& change, std::string subject, std::string body);

/// The fault with its number put in: `{{amount}}` becomes a whole number (at least 1), `{{real}}` a real one.
Change with_strength(Change fault, double strength);

}  // namespace tbci::miniature
