#include "runner/listing.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace tbci::runner {

Result<Listing> list_suites(Measurer& measurer, const std::vector<Suite>& suites, std::stop_token stop) {
  Listing all;
  std::optional<Error> first;
  for (const Suite& suite : suites) {
    if (suite.packages && all.no_packages.empty()) all.no_packages = suite.packages->unavailable_reason;
    auto listed = measurer.list_benchmarks(suite, stop);
    if (listed) {
      std::ranges::move(*listed, std::back_inserter(all.benchmarks));
      continue;
    }
    if (listed.error().kind == ErrorKind::interrupted) return pass_on(listed.error());
    if (!first) first = listed.error();
    all.left_out.push_back({.prefix = suite.prefix, .reason = listed.error().message});
  }
  if (first && all.left_out.size() == suites.size()) return pass_on(*first);
  return all;
}

}  // namespace tbci::runner
