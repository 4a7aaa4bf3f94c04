#include "daemon/cli/gpu_split.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

std::string percent(double share) {
  return fmt::format("{:.1f}%", share * 100);
}

}  // namespace

std::string gpu_split_text(const std::map<model::Case, std::vector<model::Measurement>>& results) {
  Table table({{"GPU's time"}, {"active", Align::right}, {"data movement", Align::right}, {"idle", Align::right}});
  for (const auto& [measured, measurements] : results) {
    std::vector<double> active, movement, idle;
    for (const model::Measurement& measurement : measurements) {
      if (measurement.outcome != model::Outcome::done || !measurement.gpu_split) continue;
      const model::GpuSplit& split = *measurement.gpu_split;
      const auto whole = static_cast<double>((split.active + split.movement + split.idle).count());
      if (whole <= 0) continue;
      active.push_back(static_cast<double>(split.active.count()) / whole);
      movement.push_back(static_cast<double>(split.movement.count()) / whole);
      idle.push_back(static_cast<double>(split.idle.count()) / whole);
    }
    if (active.empty()) continue;
    table.add({to_string(measured), percent(model::median(std::move(active))),
               percent(model::median(std::move(movement))), percent(model::median(std::move(idle)))});
  }
  return table.empty() ? "" : "\n" + table.text();
}

nlohmann::json gpu_split_json(const model::GpuSplit& split) {
  return {{"active", split.active.count()}, {"movement", split.movement.count()}, {"idle", split.idle.count()}};
}

}  // namespace tbci::daemon
