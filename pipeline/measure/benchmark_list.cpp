#include "pipeline/measure/benchmark_list.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pipeline/measure/building.hpp"

namespace tbci::pipeline {

namespace {

// The suite of our own models has no prefix.
std::string name_of(const runner::UnlistedSuite& suite) {
  return suite.prefix.empty() ? "the native suite" : suite.prefix + "*";
}

// The one with the longest prefix that the benchmark's name begins with.
const runner::UnlistedSuite* suite_of(const std::vector<runner::UnlistedSuite>& suites, const std::string& benchmark) {
  const runner::UnlistedSuite* found = nullptr;
  for (const runner::UnlistedSuite& suite : suites) {
    if (!benchmark.starts_with(suite.prefix)) continue;
    if (found == nullptr || suite.prefix.size() > found->prefix.size()) found = &suite;
  }
  return found;
}

}  // namespace

Result<runner::Listing> listed_benchmarks(SubjectContext& context, const model::Product& product) {
  TBCI_ASSIGN(auto listing, context.machine.benchmarks(product, context.stop));
  for (const runner::UnlistedSuite& suite : listing.left_out)
    context.progress.note(fmt::format("{} is left out: {}", name_of(suite), suite.reason));
  return listing;
}

Status check_names(const runner::Listing& listing, const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const runner::BenchmarkInfo& benchmark : listing.benchmarks) known.push_back(benchmark.name);
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (const auto* suite = suite_of(listing.left_out, name)) {
      return fail(ErrorKind::usage, "'{}' cannot be measured: {} could not be listed: {}", one_line(name, 60),
                  name_of(*suite), suite->reason);
    }
    return fail(ErrorKind::usage, "the suite has no benchmark '{}'{}: see `tbci suite list`", one_line(name, 60),
                did_you_mean(name, known));
  }
  return {};
}

Status check_names_early(SubjectContext& context, const std::vector<std::string>& names) {
  if (names.empty()) return {};
  TBCI_ASSIGN(const auto build, latest_build(context));
  if (!build) return {};
  const auto listing = context.machine.benchmarks(build->product, context.stop);
  if (!listing && listing.error().kind == ErrorKind::interrupted) return pass_on(listing.error());
  if (!listing || !listing->left_out.empty()) return {};
  return check_names(*listing, names);
}

}  // namespace tbci::pipeline
