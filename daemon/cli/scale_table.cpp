#include "daemon/cli/scale_table.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

using detect::Bounded;
using pipeline::ScaledBuild;

std::string time_text(double nanoseconds) {
  if (!std::isfinite(nanoseconds)) return nanoseconds > 0 ? "no bound" : "-no bound";
  const std::string text = human_duration(std::chrono::nanoseconds(std::llround(std::abs(nanoseconds))));
  return (nanoseconds < 0 ? "-" : "") + text;
}

std::string times_text(const Bounded& one) {
  return fmt::format("{} [{} to {}]", time_text(one.value), time_text(one.low), time_text(one.high));
}

Bounded negated(const Bounded& one) {
  return {-one.value, -one.high, -one.low};
}

std::string numbers_text(const Bounded& one, int digits) {
  return fmt::format("{:.{}f} [{:.{}f} to {:.{}f}]", one.value, digits, one.low, digits, one.high, digits);
}

std::string points_table(const pipeline::ScaledCase& scaled) {
  std::vector<Table::Column> columns = {{scaled.over, Align::right}};
  for (const ScaledBuild& build : scaled.builds) {
    columns.push_back({one_line(build.name, 40), Align::right});
    columns.push_back({"off the law", Align::right});
  }
  Table table(columns);
  for (std::size_t i = 0; i < scaled.builds.front().points.size(); ++i) {
    std::vector<std::string> cells = {fmt::format("{:.0f}", scaled.builds.front().points[i].x)};
    for (const ScaledBuild& build : scaled.builds) {
      const detect::ScalePoint& point = build.points[i];
      cells.push_back(time_text(point.y));
      cells.push_back(build.law ? fmt::format("{:+.1f}%", 100 * (point.y / build.law->at(point.x) - 1)) : "");
    }
    table.add(std::move(cells));
  }
  return table.text();
}

std::string law_text(const ScaledBuild& build, const std::string& over) {
  const std::string name = one_line(build.name, 40);
  if (!build.law) return fmt::format("{}: {}\n", name, build.no_law);
  return fmt::format("{}: {} x {}^{} + {}; a point is off by {:.1f}%\n", name, times_text(build.law->a), over,
                     numbers_text(build.law->b, 3), times_text(build.law->c), 100 * build.law->error);
}

std::string change_text(const detect::LawChange& change, const std::string& over) {
  if (!change.one_exponent)
    return fmt::format(
        "one exponent does not describe both: the time grows with the {} in another way, as by another algorithm\n",
        over);
  std::string text;
  if (change.c_changed()) {
    const bool more = change.difference_of_c.value > 0;
    text += fmt::format("each iteration costs {} {}, whatever the {}: {} overhead\n",
                        times_text(more ? change.difference_of_c : negated(change.difference_of_c)),
                        more ? "more" : "less", over, more ? "more" : "less");
  }
  if (change.a_changed())
    text += fmt::format("what grows with the {} takes {} times as long: kernels\n", over,
                        numbers_text(change.ratio_of_a, 3));
  return text.empty() ? fmt::format("no difference for sure: the constant differs by {}, the factor is {} times\n",
                                    times_text(change.difference_of_c), numbers_text(change.ratio_of_a, 3))
                      : text;
}

// JSON has no infinity.
nlohmann::json bounded_json(const Bounded& one) {
  const auto end = [](double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(); };
  return {{"value", one.value}, {"low", end(one.low)}, {"high", end(one.high)}};
}

nlohmann::json build_json(const ScaledBuild& build, const std::string& over) {
  nlohmann::json json = {{"build", valid_utf8(build.name)}, {"points", nlohmann::json::array()}};
  for (const detect::ScalePoint& point : build.points)
    json["points"].push_back({{over, std::llround(point.x)}, {"nanoseconds", point.y}});
  if (build.law) {
    json["law"] = {{"a", bounded_json(build.law->a)},
                   {"b", bounded_json(build.law->b)},
                   {"c", bounded_json(build.law->c)},
                   {"error", build.law->error}};
  } else {
    json["no_law"] = valid_utf8(build.no_law);
  }
  return json;
}

}  // namespace

std::string scale_text(const pipeline::ScaledCase& scaled) {
  std::string text =
      fmt::format("{} over the {}\n\n{}\n", to_string(scaled.measured), scaled.over, points_table(scaled));
  for (const auto& [size, why] : scaled.missing) text += fmt::format("{} {}: {}\n", scaled.over, size, why);
  for (const ScaledBuild& build : scaled.builds) text += law_text(build, scaled.over);
  if (scaled.change) text += change_text(*scaled.change, scaled.over);
  if (!scaled.no_change.empty()) text += fmt::format("no comparison: {}\n", scaled.no_change);
  return text;
}

nlohmann::json json_of(const pipeline::ScaledCase& scaled) {
  nlohmann::json json = {{"benchmark", valid_utf8(scaled.measured.benchmark)},
                         {"configuration", to_string(scaled.measured.configuration)},
                         {"over", scaled.over},
                         {"builds", nlohmann::json::array()},
                         {"missing", nlohmann::json::object()}};
  for (const ScaledBuild& build : scaled.builds) json["builds"].push_back(build_json(build, scaled.over));
  for (const auto& [size, why] : scaled.missing) json["missing"][std::to_string(size)] = valid_utf8(why);
  if (!scaled.no_change.empty()) json["no_change"] = valid_utf8(scaled.no_change);
  if (scaled.change) {
    json["change"] = {{"one_exponent", scaled.change->one_exponent},
                      {"a_ratio", bounded_json(scaled.change->ratio_of_a)},
                      {"a_changed", scaled.change->a_changed()},
                      {"c_difference", bounded_json(scaled.change->difference_of_c)},
                      {"c_changed", scaled.change->c_changed()}};
  }
  return json;
}

}  // namespace tbci::daemon
