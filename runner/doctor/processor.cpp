#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.hpp"
#include "runner/doctor/checks.hpp"
#include "runner/environment/fact_reader.hpp"

namespace tbci::runner {

namespace {

Check check_governor(const MachineFacts& facts) {
  const std::string governor = fact(facts, "governor");
  if (governor.empty()) {
    return passed("governor", "cannot be set on this machine (usual for virtual machines)");
  }
  if (governor == "performance") return passed("governor", governor);
  return warning("governor", governor + ": the clock frequency follows the load, so times vary with the load",
                 "cpupower frequency-set -g performance");
}

Check check_turbo(const MachineFacts& facts) {
  const std::string turbo = fact(facts, "turbo");
  if (!turbo.starts_with("on") && !turbo.starts_with("1")) return passed("turbo", turbo.empty() ? "unknown" : "off");
  const std::string driver = fact(facts, "cpu_driver");
  return warning("turbo", "on: the clock frequency depends on the temperature and on the load of the other cores",
                 driver.starts_with("intel_pstate") ? "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo"
                                                    : "echo 0 > /sys/devices/system/cpu/cpufreq/boost");
}

// The CPUs that share a core with a measured CPU, and how busy they were.
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
  if (fact(facts, "smt") != "1") return passed("smt", fact(facts, "smt").empty() ? "unknown" : "off");
  const auto busy = busy_siblings(facts, settings);
  return warning("smt",
                 "on: " + (busy.empty() ? "two threads share a core and slow each other down" : join(busy, "; ")),
                 "echo off > /sys/devices/system/cpu/smt/control");
}

Check check_cpus(const MachineFacts& facts, const DoctorSettings& settings) {
  std::vector<std::string> unusable, usable;
  for (const int cpu : facts.cpus) usable.push_back(std::to_string(cpu));
  for (const int cpu : settings.worker_cpus) {
    if (std::ranges::find(facts.cpus, cpu) == facts.cpus.end()) unusable.push_back(std::to_string(cpu));
  }
  if (!unusable.empty()) {
    return problem("cpus", fmt::format("[runner] cpus names CPU {}, which tbci may not use", join(unusable, ", ")),
                   fmt::format("choose from {} in [runner] cpus, or leave it out", join(usable, ", ")));
  }
  const std::size_t count = facts.cpus.size();
  if (count == 1) {
    return warning("cpus",
                   "one: benchmarks share it with the system and with tbci, so every interruption adds to their times",
                   "give the machine or container a second CPU; until then, measure with more processes: [measure] "
                   "processes_at_most = 20");
  }
  if (settings.threads > static_cast<int>(count)) {
    return warning("cpus", fmt::format("{}, but a worker has {} threads", count, settings.threads),
                   fmt::format("[measure] threads = {}", count - 1));
  }
  if (!settings.worker_cpus.empty() && settings.threads > static_cast<int>(settings.worker_cpus.size())) {
    return warning("cpus",
                   fmt::format("a worker has {} threads on the {} of [runner] cpus: they wait for each other",
                               settings.threads, counted(settings.worker_cpus.size(), "CPU")),
                   fmt::format("[measure] threads = {}", settings.worker_cpus.size()));
  }
  return passed("cpus", std::to_string(count));
}

Check check_clock(const MachineFacts& facts) {
  const std::string clock = fact(facts, "clocksource");
  // Clocks that can be read without a system call: those of the processor, and those that a hypervisor passes on.
  static constexpr std::string_view quick[] = {
      "tsc", "arch_sys_counter", "kvm-clock", "hyperv_clocksource_tsc_page", "timebase", "riscv_clocksource"};
  const bool good = clock.empty() || std::ranges::find(quick, clock) != std::end(quick);
  if (good) return passed("clock source", clock.empty() ? "unknown" : clock);
  return warning("clock source", clock + ": reading the time takes a system call in every iteration",
                 "echo tsc > /sys/devices/system/clocksource/clocksource0/current_clocksource");
}

}  // namespace

std::vector<Check> check_processor(const MachineFacts& facts, const DoctorSettings& settings) {
  return {check_governor(facts), check_turbo(facts), check_smt(facts, settings), check_cpus(facts, settings),
          check_clock(facts)};
}

}  // namespace tbci::runner
