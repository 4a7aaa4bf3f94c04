#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "runner/doctor/checks.hpp"
#include "runner/doctor/fact.hpp"
#include "runner/environment/fact_reader.hpp"

namespace tbci::runner {

namespace {

Check check_governor(const MachineFacts& facts) {
  const std::string governor = fact(facts, "governor");
  if (governor.empty()) {
    return {"governor", Health::ok, "the machine does not let us choose (as virtual machines do not)", ""};
  }
  if (governor == "performance") return {"governor", Health::ok, governor, ""};
  return {"governor", Health::warning, governor + ": the clock follows the load, and times with it",
          "cpupower frequency-set -g performance"};
}

Check check_turbo(const MachineFacts& facts) {
  const std::string turbo = fact(facts, "turbo");
  if (!turbo.starts_with("on") && !turbo.starts_with("1"))
    return {"turbo", Health::ok, turbo.empty() ? "unknown" : "off", ""};
  const std::string driver = fact(facts, "cpu_driver");
  return {"turbo", Health::warning, "on: the clock depends on temperature and on what the other cores do",
          driver.starts_with("intel_pstate") ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
                                             : "echo 0 > /sys/devices/system/cpu/cpufreq/boost"};
}

// The siblings of the CPUs that we measure on, and how busy they were.
std::vector<std::string> busy_siblings(const MachineFacts& facts, const DoctorSettings& settings) {
  std::vector<std::string> busy;
  for (const int cpu : settings.worker_cpus) {
    const auto siblings = facts.siblings.find(cpu);
    if (siblings == facts.siblings.end()) continue;
    for (const int sibling : siblings->second) {
      const auto share = facts.load_sample.cpus.find(sibling);
      if (share == facts.load_sample.cpus.end() || share->second < 0.1) continue;
      busy.push_back(fmt::format("CPU {} shares its core with CPU {}, which was busy for {:.0f}% of the time", cpu,
                                 sibling, 100 * share->second));
    }
  }
  return busy;
}

Check check_smt(const MachineFacts& facts, const DoctorSettings& settings) {
  if (fact(facts, "smt") != "1") return {"smt", Health::ok, fact(facts, "smt").empty() ? "unknown" : "off", ""};
  const auto busy = busy_siblings(facts, settings);
  return {"smt", Health::warning,
          busy.empty() ? "on: two threads share a core, and slow each other" : "on: " + join(busy, "; "),
          "echo off > /sys/devices/system/cpu/smt/control"};
}

Check check_cpus(const MachineFacts& facts, const DoctorSettings& settings) {
  if (facts.cpus == 1) {
    return {"cpus", Health::warning,
            "one: what is measured shares it with the system and with tbci, and every interruption is measured as well",
            "give the machine or container a second CPU; until then, ask for more processes: [measure] "
            "processes_at_most = 20"};
  }
  if (settings.threads > facts.cpus) {
    return {"cpus", Health::warning, fmt::format("{}, and a worker has {} threads", facts.cpus, settings.threads),
            fmt::format("[measure] threads = {}", facts.cpus - 1)};
  }
  return {"cpus", Health::ok, std::to_string(facts.cpus), ""};
}

Check check_clock(const MachineFacts& facts) {
  const std::string clock = fact(facts, "clocksource");
  // Those that are read without a system call: of the processor itself, and of hypervisors that hand it on.
  static constexpr const char* quick[] = {"tsc",      "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page",
                                          "timebase", "riscv_clocksource"};
  const bool good =
      clock.empty() || std::any_of(std::begin(quick), std::end(quick), [&](const char* name) { return clock == name; });
  if (good) return {"clock source", Health::ok, clock.empty() ? "unknown" : clock, ""};
  return {"clock source", Health::warning, clock + ": reading the time takes a system call, in every iteration",
          "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource"};
}

}  // namespace

std::string fact(const MachineFacts& facts, const std::string& name) {
  const auto found = facts.environment.facts.find(name);
  return found == facts.environment.facts.end() ? std::string() : found->second;
}

std::vector<Check> check_processor(const MachineFacts& facts, const DoctorSettings& settings) {
  return {check_governor(facts), check_turbo(facts), check_smt(facts, settings), check_cpus(facts, settings),
          check_clock(facts)};
}

}  // namespace tbci::runner
