#include "daemon/cli/scale_table.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/law_table.hpp"

namespace tbci::daemon {

namespace {

using detect::Bounded;
using pipeline::ScaledBuild;

std::string time_text(double nanoseconds) {
  const std::string text = human_duration(std::chrono::nanoseconds(std::llround(std::abs(nanoseconds))));
  return (nanoseconds < 0 ? "-" : "") + text;
}

std::string times_text(const Bounded& one) {
  return bounded_text(one, time_text);
}

Bounded negated(const Bounded& one) {
  return {-one.value, -one.high, -one.low};
}

std::string numbers_text(const Bounded& one, int digits) {
  return bounded_text(one, [digits](double value) { return fmt::format("{:.{}f}", value, digits); });
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

nlohmann::json build_json(const ScaledBuild& build, const std::string& over) {
  nlohmann::json json = {{"build", valid_utf8(build.name)}, {"points", nlohmann::json::array()}};
  for (const detect::ScalePoint& point : build.points)
    json["points"].push_back({{over, std::llround(point.x)}, {"nanoseconds", point.y}});
  if (build.law) {
    json["law"] = law_json(*build.law);
  } else {
    json["no_law"] = valid_utf8(build.no_law);
  }
  return json;
}

}  // namespace

std::string scale_text(const pipeline::ScaledCase& scaled) {
  std::vector<LawPoints> builds;
  for (const ScaledBuild& build : scaled.builds) builds.push_back({build.name, build.points, build.law});
  std::string text = fmt::format("{} over the {}\n\n{}\n", to_string(scaled.measured), scaled.over,
                                 points_table(scaled.over, builds, time_text, 1));
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
