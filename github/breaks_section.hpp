// What a report says of cases that fail. Pure.
#pragma once

#include <string>

#include "github/report.hpp"

namespace tbci::github {

/// `crashes`, `hangs`, `cannot be listed`: how the case fails, as far as it is known.
std::string break_headline(const ReportFacts& facts, const model::Series& series);
/// `: SIGSEGV`, for the end of a title; empty where nothing short is known. Plain text.
std::string break_tail(const ReportFacts& facts, const model::Series& series);
/// The first error of each case, with what it printed last.
std::string breaks_section(const ReportFacts& facts);
/// `the native suite` and `suite torchbench.*` of a case that is a suite; else the name itself. Hostile.
std::string named_suite(const std::string& benchmark);

}  // namespace tbci::github
