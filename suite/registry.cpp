#include "suite/registry.hpp"

#include <algorithm>

#include "suite/models/families.inc"  // CMake generates it from the files in models/
#include "suite/nearest.hpp"

namespace tbci::suite {
namespace {

using models::Catalogued;
using models::Family;

// Replaces a benchmark whose family did not compile.
Benchmark excused(const Catalogued& entry, const std::string& reason) {
  Benchmark benchmark;
  benchmark.name = entry.name;
  benchmark.domain = entry.domain;
  benchmark.task = entry.task;
  benchmark.parameters = entry.parameters;
  benchmark.paper_batch = benchmark.ci_batch = {1, 1};
  benchmark.modes = entry.modes;
  benchmark.listed = entry.listed;
  benchmark.make = [reason](const Setup&) -> std::unique_ptr<Workload> { throw Unsupported(reason); };
  return benchmark;
}

std::vector<Benchmark> collect() {
  std::vector<Benchmark> all;
  for (const Family& family : models::families) {
    for (Benchmark& benchmark : family.make()) all.push_back(std::move(benchmark));
    if (family.excuse == nullptr) continue;
    const std::string reason =
        "the family " + std::string(family.name) + " does not compile against this LibTorch: " + family.excuse();
    for (const Catalogued& entry : models::catalogue) {
      if (std::string_view(entry.family) == family.name) all.push_back(excused(entry, reason));
    }
  }
  return all;
}

// All names of the suite, whether this worker has them or not.
std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const Benchmark& benchmark : all_benchmarks()) names.push_back(benchmark.name);
  for (const Catalogued& entry : models::catalogue) names.emplace_back(entry.name);
  return names;
}

}  // namespace

const std::vector<Benchmark>& all_benchmarks() {
  static const std::vector<Benchmark> all = collect();
  return all;
}

const Benchmark* find_benchmark(std::string_view name) {
  const auto& all = all_benchmarks();
  const auto found = std::find_if(all.begin(), all.end(), [&](const Benchmark& b) { return b.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string nearest_benchmark(std::string_view name) {
  const auto names = all_names();
  return *std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(a, name) < edit_distance(b, name);
  });
}

std::string family_of(std::string_view name) {
  for (const Family& family : models::families) {
    for (const Benchmark& benchmark : family.make()) {
      if (benchmark.name == name) return family.name;
    }
  }
  for (const Catalogued& entry : models::catalogue) {
    if (name == entry.name) return entry.family;
  }
  return {};
}

std::string why_no_benchmark(std::string_view name) {
  const std::string family = family_of(name);
  if (!family.empty()) {
    return "this worker was built without '" + std::string(name) + "': add the family " + family +
           " (TBCI_SUITE_FAMILIES, worker_families)";
  }
  return "there is no benchmark '" + std::string(name) + "'; the nearest name is '" + nearest_benchmark(name) +
         "' (tbci-worker list shows all)";
}

}  // namespace tbci::suite
