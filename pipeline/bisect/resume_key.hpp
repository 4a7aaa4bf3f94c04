// The key under which a bisection by hand is kept, so that the same command finds it again. Pure.
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

/// Depends on everything that the answer depends on: the ends, the cases, the threshold, how much is measured, the
/// precision, which commits are searched, the priors.
std::string resume_key(const ManualSearch& search, const settings::Config& config);

}  // namespace tbci::pipeline
