#include "pipeline/measure/benchmark_list.hpp"

#include <algorithm>

#include "base/text.hpp"
#include "pipeline/measure/building.hpp"

namespace tbci::pipeline {

namespace {

// The suite of our own models has no prefix.
std::string name_of(const runner::UnlistedSuite& trouble) {
  return trouble.prefix.empty() ? "the native suite" : trouble.prefix + "*";
}

// Of the suite with the longest prefix that the name begins with.
const runner::UnlistedSuite* trouble_of(const std::vector<runner::UnlistedSuite>& troubles, const std::string& name) {
  const runner::UnlistedSuite* found = nullptr;
  for (const runner::UnlistedSuite& trouble : troubles) {
    if (!name.starts_with(trouble.prefix)) continue;
    if (found == nullptr || trouble.prefix.size() > found->prefix.size()) found = &trouble;
  }
  return found;
}

}  // namespace

Result<std::vector<runner::BenchmarkInfo>> listed_benchmarks(SubjectContext& context, const model::Product& product) {
  TBCI_ASSIGN(auto listed, context.machine.benchmarks(product, context.stop));
  for (const runner::UnlistedSuite& trouble : context.machine.troubles())
    context.progress.note(fmt::format("{} is left out: {}", name_of(trouble), trouble.reason));
  return listed;
}

Status check_names(const SubjectContext& context, const std::vector<runner::BenchmarkInfo>& listed,
                   const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const runner::BenchmarkInfo& benchmark : listed) known.push_back(benchmark.name);
  const auto troubles = context.machine.troubles();
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    if (const auto* trouble = trouble_of(troubles, name)) {
      return fail(ErrorKind::usage, "'{}' cannot be measured: {} could not be listed: {}", one_line(name, 60),
                  name_of(*trouble), trouble->reason);
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
  const auto listed = context.machine.benchmarks(build->product, context.stop);
  if (!listed && listed.error().kind == ErrorKind::interrupted) return pass_on(listed.error());
  if (!listed || !context.machine.troubles().empty()) return {};
  return check_names(context, *listed, names);
}

}  // namespace tbci::pipeline
