// Links from a commit of a report to its pull request and to the lines that are suspected. Pure.
#pragma once

#include <string>

#include "github/report.hpp"

namespace tbci::github {

/// The page of the pull request that the commit names; empty where it names none, or the repository has no web page.
std::string pull_request_address(const ReportFacts& facts, const std::string& commit);

/// ` ([pull request 123](...))`; empty where none is known. A link only where the repository has a web page.
std::string pull_request_text(const ReportFacts& facts, const std::string& commit);

/// A line of the culprit's files that the operators that changed are made of, each with a link to its difference in the
/// commit; empty where none is known, or not exactly one commit is suspected.
std::string suspected_files_line(const ReportFacts& facts);

}  // namespace tbci::github
