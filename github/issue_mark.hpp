// A hidden line at the end of what tbci writes into an issue: how tbci left the issue. With it the next process,
// another runner, and a tbci whose database was restored know what persons changed since. Pure; safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "storage/model/report.hpp"

namespace tbci::github {

/// The line in the body of an issue, or in a comment that holds a report.
struct IssueMark {
  bool issue_open = true;             ///< how tbci left the issue. In a comment: of no meaning
  bool report_open = true;            ///< of the report whose text this is
  std::string title = {};             ///< digest of the title that tbci gave the issue; empty: unknown
  std::vector<std::string> culprits;  ///< the first 12 digits of each
  /// Digests of what tbci put there besides its text, each once: what a person takes away stays away.
  std::vector<std::string> given = {};
  std::string pull = {};  ///< `owner/name#5`: the pull request that has a comment about it; empty: none
};

/// The report's mark, on an issue that is left open or closed.
IssueMark mark_of(const model::Report& report, bool issue_open);
/// Of a title, in 16 hex digits.
std::string title_digest(std::string_view title);

/// Of a label, a login or what else is given, in 8 hex digits.
std::string given_digest(std::string_view kind, std::string_view what);
/// Whether it was given already.
bool has_given(const IssueMark& mark, std::string_view digest);

/// The last one that stands as a line of its own. As with has_marker(), hostile text cannot forge one in what tbci
/// writes; a person who edits the issue can.
std::optional<IssueMark> mark_in(std::string_view body);

/// The report's text with the mark in front of its marker, and below it what people wrote there, as far as there is
/// room: tbci changes nothing below its marker.
std::string marked_text(const model::Report& report, const IssueMark& mark, std::string_view below = {});
/// What stands below the report's marker in the body of an issue; empty: nothing.
std::string_view below_marker(std::string_view body, std::string_view marker);
/// The body with this mark in the place of the one that it has. A body without one stays as it is.
std::string with_mark(std::string_view body, const IssueMark& mark);

}  // namespace tbci::github
