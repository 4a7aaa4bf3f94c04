// The parts that the body of a report is put together from. Each ends with a newline, or is empty.
#pragma once

#include <string>
#include <vector>

#include "github/report.hpp"

namespace tbci::github {

/// Worst first: the largest change, growth from nothing before all; equal changes by name.
std::vector<model::Finding> worst_first(std::vector<model::Finding> findings);
/// `31% slower`, `12% more CPU memory`, `leaks 4 KiB/iteration`: plain text. With `up to` where it is one of several.
std::string headline(const model::Finding& finding, bool one_of_several);

/// One paragraph: what got worse, how much, since when, by whom. `affected` is sorted, worst first.
std::string summary_section(const ReportFacts& facts, const std::vector<model::Finding>& affected);
/// The commits that cannot be told apart; empty for one culprit or none.
std::string suspects_section(const ReportFacts& facts);
/// The table, as many rows as fit into `most_bytes`, and how many were left out.
std::string table_section(const std::vector<model::Finding>& affected, std::size_t most_bytes);
/// What was counted beside the times, and the libraries that came with the builds; empty where nothing is known.
std::string evidence_section(const ReportFacts& facts);
/// The operators whose own time changed at the culprit, the first dozen of them; empty where nothing was profiled.
std::string operators_section(const ReportFacts& facts);
std::string search_section(const ReportFacts& facts);
std::string reproduction_section(const ReportFacts& facts);
std::string environment_section(const ReportFacts& facts);

}  // namespace tbci::github
