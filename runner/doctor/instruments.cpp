#include <fmt/format.h>

#include <set>

#include "base/text.hpp"
#include "runner/doctor/checks.hpp"
#include "runner/libraries.hpp"

namespace tbci::runner {

namespace {

Check check_counter(const MachineFacts& facts) {
  if (facts.counter.counts) return passed("instruction counter", "available");
  return warning("instruction counter", facts.counter.why + ": times are recorded without instruction counts",
                 facts.counter.remedy);
}

Check check_libraries(const MachineFacts& facts) {
  if (!facts.libraries_trouble.empty()) {
    return warning("libraries", "the worker does not report which libraries it loads: " + facts.libraries_trouble,
                   "delete the workers in the state folder; the next night rebuilds them");
  }
  if (!facts.libraries) return passed("libraries", "not checked: no worker is built yet");
  const auto runtimes = openmp_runtimes(*facts.libraries);
  if (runtimes.size() < 2) {
    std::set<std::string> names;
    for (const auto& library : *facts.libraries) {
      const std::string role = role_of(library);
      if (role == "blas" || role == "openmp" || role == "onednn") names.insert(library.filename().string());
    }
    const std::string what = join(std::vector<std::string>(names.begin(), names.end()), ", ");
    return passed("libraries", what.empty() ? "no BLAS or OpenMP library besides LibTorch" : what);
  }
  return warning(
      "libraries",
      fmt::format("a worker loads {} OpenMP runtimes, each with its own threads: {}", runtimes.size(),
                  one_line(join(runtimes, ", "), 300)),
      "link the preloaded libraries with LibTorch's OpenMP runtime; ldd shows which library needs the other");
}

}  // namespace

std::vector<Check> check_instruments(const MachineFacts& facts) {
  return {check_counter(facts), check_libraries(facts)};
}

}  // namespace tbci::runner
