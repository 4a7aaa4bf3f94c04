#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "runner/doctor/checks.hpp"

namespace tbci::runner {

namespace {

std::string bytes(std::uint64_t count) {
  return human_bytes(static_cast<double>(count));
}

Check check_huge_pages(const MachineFacts& facts) {
  const std::string pages = fact(facts, "huge_pages");
  if (pages != "always") return passed("huge pages", pages.empty() ? "unknown" : pages);
  return warning("huge pages", "always: whether an allocation gets a huge page depends on the state of the memory",
                 "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled");
}

Check check_layout(const MachineFacts& facts) {
  if (fact(facts, "aslr") != "0") {
    return passed("address layout",
                  fact(facts, "aslr").empty() ? "unknown" : "random: several processes average out its effect");
  }
  return warning("address layout",
                 "fixed: a build whose layout happens to suit the caches looks faster in every process",
                 "sysctl kernel.randomize_va_space=2");
}

Check check_swap(const MachineFacts& facts) {
  // A few pages that no process has used for weeks do not disturb measurements.
  constexpr std::uint64_t harmless = std::uint64_t{64} << 20;
  if (facts.swapped_bytes <= harmless)
    return passed("swap", facts.swapped_bytes == 0 ? "not in use" : bytes(facts.swapped_bytes) + " in use");
  return warning("swap",
                 bytes(facts.swapped_bytes) + " in use: memory ran out, and reading pages from disk adds to the times",
                 "swapoff -a");
}

Check check_size(const MachineFacts& facts, const DoctorSettings& settings) {
  const std::uint64_t limit = facts.group.memory_bytes.value_or(0);
  const bool limited = limit > 0 && (facts.memory_bytes == 0 || limit < facts.memory_bytes);
  const std::uint64_t available = limited ? limit : facts.memory_bytes;
  if (available == 0) return passed("memory", "unknown");
  const std::string what = bytes(available) + (limited ? " for the control group" : "");
  if (available >= settings.needed_memory_bytes) return passed("memory", what);
  return warning("memory",
                 fmt::format("{}: the kernel kills a compiler or a model that needs more; at least {} are recommended",
                             what, bytes(settings.needed_memory_bytes)),
                 limited ? fmt::format("start the container with --memory={}g", settings.needed_memory_bytes >> 30)
                         : "measure fewer models: set [measure] benchmarks, and [[subject]] worker_families and "
                           "jobs = 1");
}

}  // namespace

std::vector<Check> check_memory(const MachineFacts& facts, const DoctorSettings& settings) {
  return {check_huge_pages(facts), check_layout(facts), check_swap(facts), check_size(facts, settings)};
}

}  // namespace tbci::runner
