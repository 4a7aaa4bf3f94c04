#include "daemon/cli/learning_table.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/law_table.hpp"

namespace tbci::daemon {

namespace {

using pipeline::LearningBuild;
using pipeline::LearningCase;

std::string interval_text(const detect::Bounded& one, const char* number) {
  return bounded_text(one, [number](double value) { return fmt::format(fmt::runtime(number), value); });
}

std::string learning_law_text(const LearningBuild& build, const std::string& over) {
  const std::string name = one_line(build.name, 40);
  if (!build.law) return fmt::format("{}: {}\n", name, build.no_law);
  const detect::PowerLaw& law = *build.law;
  const detect::Returned returned = detect::returned_by_doubling(law, build.points.back().x);
  std::string text =
      fmt::format("{}: {} x {}^{} + {} nats; a point is off by {:.2f}%\n", name, interval_text(law.a, "{:.3g}"), over,
                  interval_text(law.b, "{:.3f}"), interval_text(law.c, "{:.4f}"), 100 * law.error);
  text += fmt::format("  the entropy of the clicks is {:.4f} nats: the constant is off by {:+.2f}%\n", build.entropy,
                      100 * (law.c.value / build.entropy - 1));
  return text +
         fmt::format("  twice the {} takes away {:.1f}% of what is above the constant: {:.5f} nats after {:.0f}\n",
                     over, 100 * returned.share, returned.gained, build.points.back().x);
}

std::string loss_change_text(const LearningCase& scaled) {
  const detect::LossChange& change = *scaled.change;
  const std::string newer = one_line(scaled.builds.back().name, 40);
  if (change.same) return fmt::format("{} learns the same: all losses are equal, bit for bit\n", newer);
  const auto percent = [](double ratio) { return fmt::format("{:+.3f}%", 100 * (ratio - 1)); };
  const char* verdict = change.worse()    ? "learns worse"
                        : change.better() ? "learns better"
                                          : "learns as well, as far as this tells";
  return fmt::format("{} {}: its losses differ by {} [{} to {}, 99%]\n", newer, verdict, percent(change.ratio.value),
                     percent(change.ratio.low), percent(change.ratio.high));
}

nlohmann::json learning_build_json(const LearningBuild& build, const std::string& over) {
  nlohmann::json json = {{"build", valid_utf8(build.name)}, {"points", nlohmann::json::array()}};
  for (const detect::ScalePoint& point : build.points) json["points"].push_back({{over, point.x}, {"loss", point.y}});
  if (!build.points.empty()) json["entropy"] = build.entropy;
  if (!build.law) {
    json["no_law"] = valid_utf8(build.no_law);
    return json;
  }
  const detect::Returned returned = detect::returned_by_doubling(*build.law, build.points.back().x);
  json["law"] = law_json(*build.law);
  json["doubling"] = {{"gained", returned.gained}, {"share", returned.share}};
  return json;
}

}  // namespace

std::string learning_text(const LearningCase& scaled) {
  std::vector<LawPoints> builds;
  for (const LearningBuild& build : scaled.builds) builds.push_back({build.name, build.points, build.law});
  const auto loss_text = [](double loss) { return fmt::format("{:.5f}", loss); };
  std::string text = fmt::format("loss of {} over {}\n\n{}\n", to_string(scaled.measured), scaled.over,
                                 points_table(scaled.over, builds, loss_text, 2));
  for (const auto& [amount, why] : scaled.missing) text += fmt::format("{} {}: {}\n", scaled.over, amount, why);
  for (const LearningBuild& build : scaled.builds) text += learning_law_text(build, scaled.over);
  if (scaled.change) text += loss_change_text(scaled);
  if (!scaled.no_change.empty()) text += fmt::format("no comparison: {}\n", scaled.no_change);
  return text;
}

nlohmann::json json_of(const LearningCase& scaled) {
  nlohmann::json json = {{"benchmark", valid_utf8(scaled.measured.benchmark)},
                         {"configuration", to_string(scaled.measured.configuration)},
                         {"over", scaled.over},
                         {"builds", nlohmann::json::array()},
                         {"missing", nlohmann::json::object()}};
  for (const LearningBuild& build : scaled.builds) json["builds"].push_back(learning_build_json(build, scaled.over));
  for (const auto& [amount, why] : scaled.missing) json["missing"][std::to_string(amount)] = valid_utf8(why);
  if (!scaled.no_change.empty()) json["no_change"] = valid_utf8(scaled.no_change);
  if (scaled.change) {
    json["change"] = {{"same", scaled.change->same},
                      {"loss_ratio", bounded_json(scaled.change->ratio)},
                      {"worse", scaled.change->worse()},
                      {"better", scaled.change->better()}};
  }
  return json;
}

}  // namespace tbci::daemon
