#include "daemon/cli/law_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

std::string points_table(const std::string& over, const std::vector<LawPoints>& builds,
                         const std::function<std::string(double)>& value_text, int digits) {
  std::vector<Table::Column> columns = {{over, Align::right}};
  for (const LawPoints& build : builds) {
    columns.push_back({one_line(build.build, 40), Align::right});
    columns.push_back({"off the law", Align::right});
  }
  Table table(columns);
  for (std::size_t i = 0; i < builds.front().points.size(); ++i) {
    std::vector<std::string> cells = {fmt::format("{:.0f}", builds.front().points[i].x)};
    for (const LawPoints& build : builds) {
      const detect::ScalePoint& point = build.points[i];
      cells.push_back(value_text(point.y));
      cells.push_back(build.law ? fmt::format("{:+.{}f}%", 100 * (point.y / build.law->at(point.x) - 1), digits) : "");
    }
    table.add(std::move(cells));
  }
  return table.text();
}

std::string bounded_text(const detect::Bounded& one, const std::function<std::string(double)>& number_text) {
  const auto text = [&](double value) -> std::string {
    return std::isfinite(value) ? number_text(value) : value > 0 ? "no bound" : "-no bound";
  };
  return fmt::format("{} [{} to {}]", text(one.value), text(one.low), text(one.high));
}

nlohmann::json bounded_json(const detect::Bounded& one) {
  const auto end = [](double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); };
  return {{"value", one.value}, {"low", end(one.low)}, {"high", end(one.high)}};
}

nlohmann::json law_json(const detect::PowerLaw& law) {
  return {{"a", bounded_json(law.a)}, {"b", bounded_json(law.b)}, {"c", bounded_json(law.c)}, {"error", law.error}};
}

}  // namespace tbci::daemon
