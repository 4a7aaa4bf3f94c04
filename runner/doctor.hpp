// What this machine lacks, or does wrong for measuring.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/process.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

enum class Health { ok, warning, problem };
std::string_view to_string(Health health);

struct Check {
  std::string name;
  Health health = Health::ok;
  std::string what;  ///< what was found
  std::string mend;  ///< how to mend it; empty where it is well
};

struct BusyProcess {
  std::string name;
  double cpu_share = 0;  ///< of one CPU, over the time that was watched
};

/// All that the checks look at.
struct MachineFacts {
  model::Environment environment;
  std::map<std::string, std::string> tools;  ///< name -> first line of its version; missing tools are left out
  std::uint64_t free_bytes = 0;              ///< of the state folder's file system
  double load = 0;                           ///< of the last minute
  int cpus = 1;                              ///< that we may use
  std::optional<double> cpu_limit;           ///< of our control group
  std::vector<BusyProcess> busy;             ///< others that used a tenth of a CPU or more
  bool counts_instructions = false;
  std::string libtorch;          ///< version of the LibTorch; empty: none is configured
  std::string libtorch_trouble;  ///< why it does not load; empty: it does
};

struct DoctorSettings {
  std::filesystem::path root = "/";  ///< as in EnvironmentSettings
  std::filesystem::path state;       ///< whose free space counts
  std::filesystem::path libtorch;    ///< prefix; empty: not looked at
  std::uint64_t needed_free_bytes = std::uint64_t{5} << 30;
  std::chrono::milliseconds watched = std::chrono::milliseconds(500);  ///< how long other processes are watched
};

/// Looks at the machine; takes a second or two.
MachineFacts gather_facts(ProcessRunner& processes, const DoctorSettings& settings, std::stop_token stop);
/// Judges what was seen. Pure.
std::vector<Check> judge(const MachineFacts& facts, const DoctorSettings& settings);
/// The worst of the checks.
Health worst(const std::vector<Check>& checks);

}  // namespace tbci::runner
