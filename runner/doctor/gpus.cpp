#include "runner/doctor/gpus.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "base/text.hpp"

namespace tbci::runner {

namespace {

constexpr std::size_t most_processes = 20;

std::vector<std::vector<std::string>> rows_of(ProcessRunner& processes, const std::string& query,
                                              std::stop_token stop) {
  Command command;
  command.arguments = {"nvidia-smi", query, "--format=csv,noheader,nounits"};
  command.time_limit = std::chrono::seconds(30);
  const auto outcome = processes.run(command, std::move(stop));
  std::vector<std::vector<std::string>> rows;
  if (!outcome || !outcome->succeeded()) return rows;
  for (const std::string& line : split(trim(outcome->output), '\n')) {
    std::vector<std::string> values;
    for (const std::string& value : split(line, ',')) values.push_back(one_line(value, 80));
    rows.push_back(std::move(values));
  }
  return rows;
}

// A clock set below the maximum stays. At the maximum it drops as soon as the GPU warms up.
bool stays_at(const std::string& set, const std::string& most) {
  double chosen = 0, highest = 0;
  const bool known = std::from_chars(set.data(), set.data() + set.size(), chosen).ec == std::errc() &&
                     std::from_chars(most.data(), most.data() + most.size(), highest).ec == std::errc();
  return !known || chosen < highest;
}

}  // namespace

std::vector<std::string> throttle_reasons(std::string_view mask) {
  constexpr std::pair<std::uint64_t, const char*> meanings[] = {
      {0x4, "power limit"},      {0x8, "hardware slowdown"}, {0x10, "sync boost"},
      {0x20, "heat (software)"}, {0x40, "heat (hardware)"},  {0x80, "power brake (hardware)"},
  };
  std::vector<std::string> reasons;
  if (!mask.starts_with("0x")) return reasons;
  std::uint64_t bits = 0;
  std::from_chars(mask.data() + 2, mask.data() + mask.size(), bits, 16);
  for (const auto& [bit, meaning] : meanings) {
    if ((bits & bit) != 0) reasons.emplace_back(meaning);
  }
  return reasons;
}

std::vector<GpuState> look_at_gpus(ProcessRunner& processes, std::stop_token stop) {
  std::vector<GpuState> gpus;
  std::vector<std::string> buses;
  for (const auto& row :
       rows_of(processes, "--query-gpu=name,pci.bus_id,persistence_mode,clocks_throttle_reasons.active", stop)) {
    if (row.size() != 4) continue;
    GpuState gpu;
    gpu.number = static_cast<int>(gpus.size());
    gpu.name = row[0];
    gpu.persistent = row[2] != "Disabled";
    gpu.throttled = throttle_reasons(row[3]);
    gpus.push_back(std::move(gpu));
    buses.push_back(row[1]);
  }
  if (gpus.empty()) return gpus;
  // A separate query: GPUs and drivers without application clocks refuse the whole query.
  const auto clocks = rows_of(processes, "--query-gpu=clocks.applications.graphics,clocks.max.graphics", stop);
  for (std::size_t i = 0; i < std::min(clocks.size(), gpus.size()); ++i) {
    if (clocks[i].size() == 2) gpus[i].clocks_locked = stays_at(clocks[i][0], clocks[i][1]);
  }
  for (const auto& row : rows_of(processes, "--query-compute-apps=gpu_bus_id,pid,process_name", stop)) {
    if (row.size() < 3) continue;
    const auto at = std::ranges::find(buses, row[0]);
    if (at == buses.end()) continue;
    GpuState& gpu = gpus[static_cast<std::size_t>(std::distance(buses.begin(), at))];
    if (gpu.processes.size() < most_processes) gpu.processes.push_back(row[2] + " (" + row[1] + ")");
  }
  return gpus;
}

}  // namespace tbci::runner
