// Under which key a bisection that a person asks for is kept, and so found again by the same command. Pure.
#pragma once

#include <string>
#include <vector>

#include "settings/config.hpp"

namespace tbci::pipeline {

/// What the command line says of a search; the configuration has the rest.
struct ManualSearch {
  std::string from, to;                     ///< full hashes
  std::vector<std::string> series;          ///< none: whatever is worse at the bad end
  std::vector<std::string> metrics;         ///< none: all
  std::vector<std::string> configurations;  ///< as named on the command line; none: those of the configuration
};

/// Equal for equal questions, and different where anything that the answer depends on is: the ends, the cases, the
/// threshold, how much is measured, the precision, which commits are searched, the priors.
std::string resume_key(const ManualSearch& search, const settings::Config& config);

}  // namespace tbci::pipeline
