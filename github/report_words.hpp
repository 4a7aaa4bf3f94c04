// The words that several sections of a report share. Pure; all texts of the facts may be hostile, what comes back is
// safe in Markdown unless it says otherwise.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "github/report.hpp"

namespace tbci::github {

struct Lines {
  std::string text;          ///< each with a newline
  std::size_t left_out = 0;  ///< number of lines that did not fit
};
/// As many whole lines as fit.
Lines lines_within(const std::vector<std::string>& lines, std::size_t most_bytes);

/// Sorted by change, largest first, with growth from nothing before all others; equal changes by name.
std::vector<model::Finding> worst_first(std::vector<model::Finding> findings);

/// Whether it has the values of a comparison. A search by hand for a series that was named compared none.
bool has_values(const model::Finding& finding);
/// `12.3 ms`; `?` for what is not a number.
std::string value_text(model::Metric metric, double value);
/// `+31.0%`, `from nothing`, `?`.
std::string change_text(double change);
/// `+29.0% to +33.0%`; `-` where there is none.
std::string interval_text(double low, double high);

/// The name of the night since which it is there; hostile. Empty where a person compared two builds.
const std::string& first_night(const ReportFacts& facts);
/// `dlrm (cpu-train)`, or a suite's name.
std::string where_text(const model::Series& series);
/// `dlrm (cpu-train), time`.
std::string series_text(const model::Series& series);
/// `31% slower`, `12% more CPU memory`, `leaks 4 KiB/iteration`: plain text.
std::string headline(const model::Finding& finding);
/// `is 31% slower`, `needs 12% more CPU memory`, `leaks 4 KiB/iteration`: plain text.
std::string predicate(const model::Finding& finding);

/// Of the repository without a slash at its end, where it is an address that can stand in a link; else empty.
std::string_view web_base(const ReportFacts& facts);
/// Whether it is the hash of a commit: anything else gets no link.
bool is_commit(std::string_view id);
/// The beginning of the commit's hash, as a link where there is a web page for it.
std::string commit_text(const ReportFacts& facts, const std::string& id);
std::string author_text(const model::Commit& commit);
/// The beginning of the hash, the author and the subject, without a link.
std::string named_commit(const model::Commit& commit);
/// `<details>` with a summary, which is not escaped, around text that ends with a newline.
std::string folded(std::string_view summary, std::string_view text);

/// The step that the report is about, which may not be the largest of its series; null: there is none.
const model::FoundStep* reported_step(const ReportFacts& facts, const model::Answer& answer);

}  // namespace tbci::github
