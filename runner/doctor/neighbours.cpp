#include <fmt/format.h>

#include <cmath>

#include "base/text.hpp"
#include "runner/doctor/checks.hpp"

namespace tbci::runner {

namespace {

Check check_load(const MachineFacts& facts) {
  const std::string what = fmt::format("{:.2f} on {} CPUs", facts.load, facts.cpus);
  if (facts.load < 0.5 * facts.cpus) return {"load", Health::ok, what, ""};
  return {"load", Health::warning, what + ": others use the machine", "measure when nothing else runs"};
}

Check check_others(const MachineFacts& facts) {
  const auto& busy = facts.load_sample.busy;
  if (busy.empty()) return {"other processes", Health::ok, "none uses a tenth of a CPU", ""};
  std::vector<std::string> names;
  for (const BusyProcess& process : busy) {
    if (names.size() < 3) names.push_back(fmt::format("{} uses {:.0f}%", process.name, 100 * process.cpu_share));
  }
  return {"other processes", Health::warning, join(names, ", "), "stop them while measuring"};
}

Check check_cpu_limit(const MachineFacts& facts) {
  if (!facts.group.cpus) return {"cpu limit", Health::ok, "none", ""};
  const double limit = *facts.group.cpus;
  std::string what = fmt::format("{:g} CPUs for the control group", limit);
  if (facts.group.throttled > 0) what += fmt::format(", which was stopped {} times", facts.group.throttled);
  const bool stops = limit < facts.cpus || limit != std::floor(limit) || facts.group.throttled > 0;
  if (!stops) return {"cpu limit", Health::ok, what, ""};
  return {"cpu limit", Health::warning,
          what + ": the scheduler stops a process that used up its share, for up to a tenth of a second",
          "start the container with whole CPUs and no quota: --cpuset-cpus=0-1 in place of --cpus"};
}

Check check_stolen(const MachineFacts& facts) {
  const std::string what = fmt::format("{:.1f}% of the CPUs' time", 100 * facts.load_sample.stolen);
  if (facts.load_sample.stolen < 0.01) return {"stolen time", Health::ok, what, ""};
  return {"stolen time", Health::warning, what + " went to other virtual machines of the host",
          "take a virtual machine with CPUs of its own, or a whole machine"};
}

}  // namespace

std::vector<Check> check_neighbours(const MachineFacts& facts) {
  return {check_load(facts), check_others(facts), check_cpu_limit(facts), check_stolen(facts)};
}

}  // namespace tbci::runner
