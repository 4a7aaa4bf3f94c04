#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "runner/doctor/checks.hpp"

namespace tbci::runner {

namespace {

Check check_load(const MachineFacts& facts) {
  const std::string what = fmt::format("{:.2f} on {} CPUs", facts.load, facts.cpus.size());
  if (facts.load < 0.5 * static_cast<double>(facts.cpus.size())) return passed("load", what);
  return warning("load", what + ": other processes use the machine", "measure when nothing else runs");
}

Check check_others(const MachineFacts& facts) {
  const auto& busy = facts.load_sample.busy;
  if (busy.empty()) return passed("other processes", "none uses 10% of a CPU or more");
  std::vector<std::string> names;
  for (const BusyProcess& process : busy) {
    if (names.size() < 3) names.push_back(fmt::format("{} uses {:.0f}%", process.name, 100 * process.cpu_share));
  }
  return warning("other processes", join(names, ", "), "stop them before you measure");
}

Check check_cpu_limit(const MachineFacts& facts) {
  if (!facts.group.cpus) return passed("cpu limit", "none");
  const double limit = *facts.group.cpus;
  std::string what = fmt::format("{:g} CPUs for the control group", limit);
  if (facts.group.throttled > 0) what += fmt::format(", throttled {} times so far", facts.group.throttled);
  const bool throttles =
      limit < static_cast<double>(facts.cpus.size()) || limit != std::floor(limit) || facts.group.throttled > 0;
  if (!throttles) return passed("cpu limit", what);
  return warning("cpu limit", what + ": the scheduler stops a process that has used up its share, for up to 0.1 s",
                 "start the container with whole CPUs and no quota: --cpuset-cpus=0-1 instead of --cpus");
}

Check check_stolen(const MachineFacts& facts) {
  const std::string what = fmt::format("{:.1f}% of the CPU time", 100 * facts.load_sample.stolen);
  if (facts.load_sample.stolen < 0.01) return passed("stolen time", what);
  return warning("stolen time", what + " went to other virtual machines of the host",
                 "use a virtual machine with dedicated CPUs, or a physical machine");
}

}  // namespace

std::vector<Check> check_neighbours(const MachineFacts& facts) {
  return {check_load(facts), check_others(facts), check_cpu_limit(facts), check_stolen(facts)};
}

}  // namespace tbci::runner
