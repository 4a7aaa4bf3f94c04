// The sections of the body of a report. Each ends with a newline, or is empty.
#pragma once

#include <string>
#include <vector>

#include "github/report.hpp"

namespace tbci::github {

/// Sorted by change, largest first, with growth from nothing before all others; equal changes by name.
std::vector<model::Finding> worst_first(std::vector<model::Finding> findings);
/// `31% slower`, `12% more CPU memory`, `leaks 4 KiB/iteration`: plain text. With `up to` if it is one of several.
std::string headline(const model::Finding& finding, bool one_of_several);

/// The top of the issue: what regressed, by how much, since when, and which commit caused it. `affected` is sorted,
/// worst first.
std::string summary_section(const ReportFacts& facts, const std::vector<model::Finding>& affected);
/// The commits that cannot be told apart; empty for one culprit or none.
std::string suspects_section(const ReportFacts& facts);
/// The table with as many rows as fit into `most_bytes`, and the number of omitted rows.
std::string table_section(const std::vector<model::Finding>& affected, std::size_t most_bytes);
/// The secondary metrics, and the libraries of the builds; empty if nothing is known.
std::string secondary_section(const ReportFacts& facts);
std::string search_section(const ReportFacts& facts);
std::string reproduction_section(const ReportFacts& facts);
std::string environment_section(const ReportFacts& facts);

}  // namespace tbci::github
