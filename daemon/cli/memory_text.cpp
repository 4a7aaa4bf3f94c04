#include "daemon/cli/memory_text.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace tbci::daemon {

std::string growth_text(const std::vector<model::Measurement>& measurements, model::Metric leak) {
  std::vector<double> values, low, high;
  for (const model::Measurement& measurement : measurements) {
    const auto value = model::value_of(measurement, leak);
    if (value) values.push_back(*value);
    const auto interval = model::interval_of(measurement, leak);
    if (value && interval) low.push_back(interval->low);
    if (value && interval) high.push_back(interval->high);
  }
  if (values.empty()) return "-";
  std::string text = readable(leak, model::median(std::move(values)));
  if (low.empty()) return text;
  return fmt::format("{} ({} to {})", text, human_bytes(model::median(std::move(low))),
                     human_bytes(model::median(std::move(high))));
}

nlohmann::json memory_json(const model::Measurement& measurement) {
  nlohmann::json json = nlohmann::json::object();
  const auto add = [&](const std::string& name, const auto& value) {
    if (value) json[name] = *value;
  };
  const auto add_growth = [&](const std::string& of, const std::optional<double>& growth,
                              const std::optional<model::Interval>& interval) {
    add(of + "_growth_bytes", growth);
    if (!interval) return;
    json[of + "_growth_low_bytes"] = interval->low;
    json[of + "_growth_high_bytes"] = interval->high;
  };
  add("cpu_peak_bytes", measurement.cpu_peak_bytes);
  add("gpu_peak_bytes", measurement.gpu_peak_bytes);
  add("gpu_reserved_peak_bytes", measurement.gpu_reserved_peak_bytes);
  add_growth("cpu", measurement.cpu_growth_bytes, measurement.cpu_growth_interval);
  add_growth("rss", measurement.rss_growth_bytes, measurement.rss_growth_interval);
  add_growth("gpu", measurement.gpu_growth_bytes, measurement.gpu_growth_interval);
  return json;
}

}  // namespace tbci::daemon
