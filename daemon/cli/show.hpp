// Answers as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "pipeline/pipeline.hpp"
#include "storage/model/bisection.hpp"
#include "storage/model/night.hpp"

namespace tbci::daemon {

/// A table of findings; with `all` false, only those that are not clear.
std::string table_of(const std::vector<model::Finding>& findings, bool all);
/// One line: `2026-01-07: 1 regression, 31 series clear`.
std::string headline(const pipeline::NightResult& result);
/// The answers of a search, one per line.
std::string lines_of(const model::Bisection& bisection);

}  // namespace tbci::daemon
