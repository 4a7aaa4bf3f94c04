// The table of all that a report is about. Pure.
#pragma once

#include <string>
#include <vector>

#include "github/report.hpp"

namespace tbci::github {

/// A row for each finding, with as many rows as fit into `most_bytes`, and the number of omitted rows. Benchmarks stay
/// together: by the operator that changed most where that is known of several, the worst first; within one the worst
/// series first. Rows after the tenth are folded. `affected` is sorted, worst first.
std::string table_section(const ReportFacts& facts, const std::vector<model::Finding>& affected,
                          std::size_t most_bytes);

/// The secondary metrics of the affected cases; empty if nothing is known.
std::string secondary_section(const ReportFacts& facts);

}  // namespace tbci::github
