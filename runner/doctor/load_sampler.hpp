// What the machine does by itself while nothing of ours runs.
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace tbci::runner {

struct BusyProcess {
  std::string name;
  double cpu_share = 0;  ///< of one CPU, over the time that was watched
};

struct LoadSample {
  std::vector<BusyProcess> busy;  ///< others that used a tenth of a CPU or more
  std::map<int, double> cpus;     ///< CPU -> share of the time in which it was busy
  double stolen = 0;              ///< share of all CPUs' time that the hypervisor gave to others
};

/// Looks twice at proc/ below `root`, so long apart.
LoadSample sample_load(const std::filesystem::path& root, std::chrono::milliseconds duration, std::stop_token stop);

/// One line of /proc/stat, in clock ticks.
struct CpuTimes {
  double busy = 0, idle = 0, stolen = 0;
};
/// By CPU, from the text of /proc/stat; -1: all of them. What is no such line is left out.
std::map<int, CpuTimes> cpu_times(std::string_view stat);

}  // namespace tbci::runner
