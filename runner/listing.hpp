// What several suites can measure, where some of them may be broken.
#pragma once

#include <stop_token>
#include <string>
#include <vector>

#include "runner/measure.hpp"

namespace tbci::runner {

/// A suite that was left out of a listing, and why.
struct UnlistedSuite {
  std::string prefix;  ///< of its benchmarks' names
  std::string reason;
};

struct Listing {
  std::vector<BenchmarkInfo> benchmarks;
  std::vector<UnlistedSuite> left_out;
};

/// Asks each suite. One that cannot be listed stops none of the others. Errors: all of them are broken (as the first
/// says), we are asked to stop (interrupted).
Result<Listing> list_suites(Measurer& measurer, const std::vector<Suite>& suites, std::stop_token stop);

}  // namespace tbci::runner
