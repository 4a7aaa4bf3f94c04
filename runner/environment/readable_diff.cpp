// The difference of two environments, in words.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/text.hpp"
#include "runner/environment.hpp"
#include "runner/libraries.hpp"

namespace tbci::runner {

namespace {

/// How a fact is spoken of: `<subject> <verb> <new> instead of <old>`. The order of the table is that of the answer.
struct Phrase {
  const char* fact;
  const char* subject;
  const char* verb;
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
    {"mitigations", "what the kernel does against flaws of the CPU", "is"},
    {"libc", "the C library", "is"},
    {"microcode", "the microcode", "is"},
    {"memory", "the memory", "is"},
    {"cpus_allowed", "the CPUs that tbci may use", "are"},
    {"cpu_set", "the control group's CPUs", "are"},
    {"cpus_online", "the CPUs online", "are"},
    {"cpus_isolated", "the isolated CPUs", "are"},
    {"numa_nodes", "the NUMA nodes", "are"},
    {"hypervisor", "the machine as a virtual one", "is"},
    {"clocksource", "the clock source", "is"},
    {"cpu_driver", "the frequency driver", "is"},
    {"idle_governor", "the idle governor", "is"},
    {"cpu_flags", "the CPU's features (their digest)", "are"},
    {"compiler", "the compiler", "is"},
    {"size", "the models' size", "is"},
    {"batch", "the batch size", "is"},
};

std::size_t rank(const std::string& fact) {
  const auto found =
      std::find_if(std::begin(phrases), std::end(phrases), [&](const Phrase& p) { return p.fact == fact; });
  return static_cast<std::size_t>(found - std::begin(phrases));
}

// The value as it is said in a sentence.
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
    if (after.empty()) return fmt::format("{} is not set any more (it was {})", name, before);
    if (before.empty()) return fmt::format("{} is {}; it was not set", name, after);
    return fmt::format("{} is {} instead of {}", name, after, before);
  }
  const std::size_t at = rank(change.name);
  const bool known = at < std::size(phrases);
  const std::string subject = known ? phrases[at].subject : change.name;
  const std::string verb = known ? phrases[at].verb : "is";
  const bool limit = change.name == "cpu_limit" || change.name == "memory_limit";
  if (after.empty())
    return fmt::format("{} {} {}", subject, verb,
                       limit ? "not limited instead of " + before : "unknown instead of " + before);
  if (limit)
    return fmt::format("{} {} limited to {}{}", subject, verb, after,
                       before.empty() ? "; it was not limited" : " instead of " + before);
  if (before.empty()) return fmt::format("{} {} {}, which was unknown before", subject, verb, after);
  // After a thread, `instead of 1` says it all.
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
    FactChange change{name, value_in(before, name), value_in(after, name)};
    if (change.before != change.after) changes.push_back(std::move(change));
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const FactChange& a, const FactChange& b) { return rank(a.name) < rank(b.name); });
  return changes;
}

std::string readable_diff(const model::Environment& before, const model::Environment& after, std::size_t most) {
  const auto changes = changes_between(before, after);
  std::vector<std::string> sentences, others;
  for (const FactChange& change : changes) {
    // One that is left is told rather than named.
    const bool told = sentences.size() < most || changes.size() == most + 1;
    (told ? sentences : others).push_back(told ? sentence_of(change) : change.name);
  }
  if (!others.empty()) sentences.push_back(fmt::format("and {} more: {}", others.size(), join(others, ", ")));
  return join(sentences, "; ");
}

}  // namespace tbci::runner
