// Samples the load of the machine while tbci measures nothing.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.hpp"

namespace tbci::runner {

struct BusyProcess {
  std::string name;
  double cpu_share = 0;  ///< of one CPU, during the sample
};

struct LoadSample {
  std::vector<BusyProcess> busy;  ///< other processes that used 10% of a CPU or more
  std::map<int, double> cpus;     ///< CPU -> fraction of the time that it was busy
  double stolen = 0;              ///< fraction of all CPU time that the hypervisor gave to others
};

/// Reads proc/ below `root` twice, `duration` apart, and returns the difference.
LoadSample sample_load(const Clock& clock, const std::filesystem::path& root, std::chrono::milliseconds duration,
                       std::stop_token stop);

/// One line of /proc/stat, in clock ticks.
struct CpuTimes {
  double busy = 0, idle = 0, stolen = 0;
};
/// By CPU, from the text of /proc/stat; -1: all CPUs together. Ignores other lines.
std::map<int, CpuTimes> cpu_times(std::string_view stat);

}  // namespace tbci::runner
