#include "base/text.hpp"
#include "runner/environment/facts.hpp"

namespace tbci::runner {

namespace {

void add_turbo(FactReader& reader) {
  const std::string boost(trim(reader.text("sys/devices/system/cpu/cpufreq/boost")));
  const std::string no_turbo(trim(reader.text("sys/devices/system/cpu/intel_pstate/no_turbo")));
  if (!boost.empty()) return reader.add("turbo", boost == "1" ? "on" : "off");
  if (!no_turbo.empty()) return reader.add("turbo", no_turbo == "0" ? "on" : "off");
  reader.add_per_cpu("turbo", "cpufreq/boost");
}

}  // namespace

void add_cpu_facts(FactReader& reader) {
  const std::string info = reader.text("proc/cpuinfo");
  reader.add("cpu", field_of(info, "model name"));
  reader.add("microcode", field_of(info, "microcode"));
  const std::string flags = " " + field_of(info, "flags") + " ";
  if (!info.empty()) reader.add("hypervisor", flags.find(" hypervisor ") != std::string::npos ? "yes" : "no");
  if (flags.size() > 2) reader.add("cpu_flags", sha256_hex(flags).substr(0, 16));

  reader.add_file("cpus_online", "sys/devices/system/cpu/online");
  reader.add_file("cpus_isolated", "sys/devices/system/cpu/isolated");
  reader.add_file("smt", "sys/devices/system/cpu/smt/active");
  reader.add_file("numa_nodes", "sys/devices/system/node/online");
  reader.add_file("numa_balancing", "proc/sys/kernel/numa_balancing");

  reader.add_per_cpu("governor", "cpufreq/scaling_governor");
  reader.add_per_cpu("cpu_driver", "cpufreq/scaling_driver");
  reader.add_per_cpu("energy_preference", "cpufreq/energy_performance_preference");
  reader.add_per_cpu("least_khz", "cpufreq/scaling_min_freq");
  reader.add_per_cpu("most_khz", "cpufreq/scaling_max_freq");
  reader.add_file("idle_governor", "sys/devices/system/cpu/cpuidle/current_governor");
  add_turbo(reader);
}

}  // namespace tbci::runner
