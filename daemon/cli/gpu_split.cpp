#include "daemon/cli/gpu_split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

std::string percent(double share) {
  return fmt::format("{:.1f}%", share * 100);
}

// The bits of nvmlClocksThrottleReason... that say what holds a clock down. Idle (1) holds none down. In the words of
// `tbci doctor`.
constexpr std::array<std::pair<std::int64_t, const char*>, 8> reasons = {{{0x2, "a clock that was set"},
                                                                          {0x4, "power limit"},
                                                                          {0x8, "hardware slowdown"},
                                                                          {0x10, "sync boost"},
                                                                          {0x20, "heat (software)"},
                                                                          {0x40, "heat (hardware)"},
                                                                          {0x80, "power brake (hardware)"},
                                                                          {0x100, "display clock"}}};

std::string held_down_by(std::int64_t bits) {
  std::string text;
  for (const auto& [bit, words] : reasons) {
    if ((bits & bit) != 0) text += (text.empty() ? "" : ", ") + std::string(words);
  }
  return text;
}

using Measurements = std::vector<model::Measurement>;

// The medians over the processes that were traced.
std::vector<std::string> split_cells(const Measurements& measurements) {
  std::vector<double> active, movement, idle, traced;
  for (const model::Measurement& measurement : measurements) {
    if (measurement.outcome != model::Outcome::done || !measurement.gpu_split) continue;
    const model::GpuSplit& split = *measurement.gpu_split;
    const auto whole = static_cast<double>((split.active + split.movement + split.idle).count());
    if (whole <= 0) continue;
    active.push_back(static_cast<double>(split.active.count()) / whole);
    movement.push_back(static_cast<double>(split.movement.count()) / whole);
    idle.push_back(static_cast<double>(split.idle.count()) / whole);
    if (const auto time = model::value_of(measurement, model::Metric::time)) traced.push_back(whole / *time);
  }
  if (active.empty()) return {"", "", "", ""};
  return {percent(model::median(std::move(active))), percent(model::median(std::move(movement))),
          percent(model::median(std::move(idle))),
          traced.empty() ? "" : fmt::format("{:.2f}x", model::median(std::move(traced)))};
}

// Of all processes together.
std::vector<std::string> load_cells(const Measurements& measurements) {
  std::optional<model::GpuLoad> all;
  for (const model::Measurement& measurement : measurements) {
    if (!measurement.gpu_load) continue;
    const model::GpuLoad& one = *measurement.gpu_load;
    if (!all) all = one;
    all->sm_mhz_low = std::min(all->sm_mhz_low, one.sm_mhz_low);
    all->sm_mhz_high = std::max(all->sm_mhz_high, one.sm_mhz_high);
    all->celsius = std::max(all->celsius, one.celsius);
    all->held_down_by |= one.held_down_by;
  }
  if (!all) return {"", "", ""};
  const std::string clock = all->sm_mhz_low == all->sm_mhz_high
                                ? std::to_string(all->sm_mhz_low)
                                : fmt::format("{} to {}", all->sm_mhz_low, all->sm_mhz_high);
  return {clock, std::to_string(all->celsius), held_down_by(all->held_down_by)};
}

}  // namespace

std::string gpu_split_text(const std::map<model::Case, Measurements>& results) {
  Table table({{"GPU's time"},
               {"active", Align::right},
               {"data movement", Align::right},
               {"idle", Align::right},
               {"traced", Align::right},
               {"SM clock (MHz)", Align::right},
               {"hottest (C)", Align::right},
               {"clock held down by"}});
  for (const auto& [measured, measurements] : results) {
    std::vector<std::string> cells{to_string(measured)};
    for (const auto& some : {split_cells(measurements), load_cells(measurements)})
      cells.insert(cells.end(), some.begin(), some.end());
    const bool nothing = std::all_of(cells.begin() + 1, cells.end(), [](const auto& cell) { return cell.empty(); });
    if (!nothing) table.add(std::move(cells));
  }
  return table.empty() ? "" : "\n" + table.text();
}

nlohmann::json gpu_split_json(const model::GpuSplit& split) {
  return {{"active", split.active.count()}, {"movement", split.movement.count()}, {"idle", split.idle.count()}};
}

nlohmann::json gpu_load_json(const model::GpuLoad& load) {
  return {{"sm_mhz_low", load.sm_mhz_low},
          {"sm_mhz_high", load.sm_mhz_high},
          {"celsius", load.celsius},
          {"held_down_by", held_down_by(load.held_down_by)}};
}

}  // namespace tbci::daemon
