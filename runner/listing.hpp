// Lists the benchmarks of several suites, some of which may be broken.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "runner/measure.hpp"

namespace tbci::runner {

/// A suite that could not be listed, and why.
struct UnlistedSuite {
  std::string prefix;  ///< of its benchmarks' names
  std::string reason;
};

struct Listing {
  std::vector<BenchmarkInfo> benchmarks;
  std::vector<UnlistedSuite> left_out;
  std::string no_packages = {};  ///< why no suite has the backend aoti on this build, where that is known
};

/// Asks each suite. A suite that cannot be listed does not affect the others. Errors: the first suite's error if all
/// are broken; interrupted if a stop was requested.
Result<Listing> list_suites(Measurer& measurer, const std::vector<Suite>& suites, std::stop_token stop);

}  // namespace tbci::runner
