#include "runner/environment/readable_diff.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "runner/libraries.hpp"

namespace tbci::runner {

namespace {

/// The words for a fact: `<subject> <verb> <new> instead of <old>`. The order of the table is the order of the text.
struct Phrase {
  std::string_view fact, subject, verb;
};
constexpr Phrase phrases[] = {
    {"cpu", "the CPU", "is"},
    {"gpu0.name", "GPU 0", "is"},
    {"governor", "the governor", "is"},
    {"turbo", "turbo", "is"},
    {"most_khz", "the highest frequency in kHz", "is"},
    {"least_khz", "the lowest frequency in kHz", "is"},
    {"energy_preference", "the CPU's energy preference", "is"},
    {"library.blas", "", ""},
    {"library.openmp", "", ""},
    {"library.onednn", "", ""},
    {"library.cublas", "", ""},
    {"library.cudnn", "", ""},
    {"library.allocator", "", ""},
    {"threads", "workers", "had"},
    {"measured on CPUs", "workers", "were pinned to"},
    {"smt", "simultaneous multithreading", "is"},
    {"cpu_limit", "the control group's CPU time", "is"},
    {"memory_limit", "the control group's memory", "is"},
    {"huge_pages", "transparent huge pages", "are"},
    {"huge_pages_defrag", "the defragmentation for huge pages", "is"},
    {"kernel", "the kernel", "is"},
    {"mitigations", "the digest of the kernel's CPU mitigations", "is"},
    {"libc", "the C library", "is"},
    {"microcode", "the microcode", "is"},
    {"memory", "the memory", "is"},
    {"cpus_allowed", "the CPUs that tbci may use", "are"},
    {"cpu_set", "the control group's CPUs", "are"},
    {"cpus_online", "the CPUs online", "are"},
    {"cpus_isolated", "the isolated CPUs", "are"},
    {"numa_nodes", "the NUMA nodes", "are"},
    {"hypervisor", "running in a virtual machine", "is"},
    {"clocksource", "the clock source", "is"},
    {"cpu_driver", "the frequency driver", "is"},
    {"idle_governor", "the idle governor", "is"},
    {"cpu_flags", "the CPU's features (their digest)", "are"},
    {"compiler", "the compiler", "is"},
    {"compiler.cuda", "the CUDA compiler", "is"},
    {"recipe", "the recipe of builds (its digest)", "is"},
    {"size", "the models' size", "is"},
    {"batch", "the batch size", "is"},
};

std::size_t rank(const std::string& fact) {
  return static_cast<std::size_t>(std::ranges::find(phrases, fact, &Phrase::fact) - std::begin(phrases));
}

// The value as it appears in a sentence.
std::string spoken(const std::string& fact, const std::string& value) {
  if (value.empty()) return {};
  if (fact == "smt") return value == "1" ? "on" : "off";
  if (fact == "threads") return value + (value == "1" ? " thread" : " threads");
  if (fact == "cpu_limit") return value + (value == "1" ? " CPU" : " CPUs");
  if (fact == "measured on CPUs")
    return value == "any" ? "no CPU" : (value.find_first_of(",-") == std::string::npos ? "CPU " : "CPUs ") + value;
  return value;
}

std::string sentence_of(const FactChange& change) {
  const std::string before = spoken(change.name, change.before), after = spoken(change.name, change.after);
  if (change.name.starts_with("library.")) return library_change(change.before, change.after);
  if (change.name.starts_with("variable ")) {
    const std::string name = change.name.substr(std::string_view("variable ").size());
    if (after.empty()) return fmt::format("{} is no longer set (it was {})", name, before);
    if (before.empty()) return fmt::format("{} is {}; it was not set", name, after);
    return fmt::format("{} is {} instead of {}", name, after, before);
  }
  const std::size_t at = rank(change.name);
  const bool known = at < std::size(phrases);
  const std::string subject(known ? phrases[at].subject : change.name);
  const std::string verb(known ? phrases[at].verb : "is");
  const bool limit = change.name == "cpu_limit" || change.name == "memory_limit";
  if (after.empty())
    return fmt::format("{} {} {}", subject, verb,
                       limit ? "not limited instead of " + before : "unknown instead of " + before);
  if (limit)
    return fmt::format("{} {} limited to {}{}", subject, verb, after,
                       before.empty() ? "; it was not limited" : " instead of " + before);
  if (before.empty()) return fmt::format("{} {} {}, which was unknown before", subject, verb, after);
  // `4 threads instead of 1`: the unit is not repeated.
  const bool counted = change.name == "threads" || change.name == "cpu_limit";
  return fmt::format("{} {} {} instead of {}", subject, verb, after, counted ? change.before : before);
}

}  // namespace

std::vector<FactChange> changes_between(const model::Environment& before, const model::Environment& after) {
  std::set<std::string> names;
  for (const auto& [name, value] : before.facts) names.insert(name);
  for (const auto& [name, value] : after.facts) names.insert(name);
  const auto value_in = [](const model::Environment& environment, const std::string& name) {
    const auto found = environment.facts.find(name);
    return found == environment.facts.end() ? std::string() : found->second;
  };
  std::vector<FactChange> changes;
  for (const std::string& name : names) {
    FactChange change{.name = name, .before = value_in(before, name), .after = value_in(after, name)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  std::ranges::stable_sort(changes, {}, [](const FactChange& change) { return rank(change.name); });
  return changes;
}

std::string readable_diff(const model::Environment& before, const model::Environment& after, std::size_t most) {
  const auto changes = changes_between(before, after);
  std::vector<std::string> sentences, others;
  for (const FactChange& change : changes) {
    // A single remaining change is described as well: naming it is hardly shorter.
    const bool described = sentences.size() < most || changes.size() == most + 1;
    (described ? sentences : others).push_back(described ? sentence_of(change) : change.name);
  }
  if (!others.empty()) sentences.push_back(fmt::format("and {} more: {}", others.size(), join(others, ", ")));
  return join(sentences, "; ");
}

}  // namespace tbci::runner
