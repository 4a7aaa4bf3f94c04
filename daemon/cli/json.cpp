#include "daemon/cli/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "daemon/view/json.hpp"

namespace tbci::daemon {

namespace {

nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

}  // namespace

nlohmann::json json_of(const NightResult& result) {
  nlohmann::json json = {{"night", view::json_of(result.night)}, {"checked_before", result.checked_before}};
  json["findings"] = nlohmann::json::array();
  for (const model::Finding& finding : result.findings) json["findings"].push_back(view::json_of(finding));
  json["regressions"] = nlohmann::json::array();
  for (const model::Regression& regression : result.regressions) {
    json["regressions"].push_back({{"id", regression.id},
                                   {"series", to_string(regression.finding.series)},
                                   {"change", number(regression.finding.change)},
                                   {"state", to_string(regression.state)},
                                   {"suspects", regression.suspects},
                                   {"reason", regression.reason}});
  }
  json["reports"] = nlohmann::json::array();
  for (const model::Report& report : result.reports)
    json["reports"].push_back({{"id", report.id}, {"title", report.title}});
  return json;
}

nlohmann::json answers_json(const model::Bisection& bisection) {
  nlohmann::json json = {{"from", bisection.from},
                         {"to", bisection.to},
                         {"builds", bisection.builds},
                         {"measurements", bisection.measurements}};
  json["culprits"] = json["without_culprit"] = nlohmann::json::array();
  std::set<std::vector<std::string>> sets;
  for (const model::Answer& answer : bisection.answers) {
    const nlohmann::json interval = {number(answer.low), number(answer.high)};
    const std::string series = to_string(answer.series);
    if (answer.suspects.size() == 1) {
      json["culprits"].push_back({{"commit", answer.suspects.front()},
                                  {"series", series},
                                  {"change", number(answer.change)},
                                  {"interval", interval}});
    } else if (answer.suspects.empty()) {
      json["without_culprit"].push_back(
          {{"series", series}, {"reason", answer.reason}, {"change", number(answer.change)}, {"interval", interval}});
    } else {
      sets.insert(answer.suspects);
    }
  }
  json["suspects"] = sets;
  json["answers"] = nlohmann::json::array();
  for (const model::Answer& answer : bisection.answers) {
    json["answers"].push_back({{"series", to_string(answer.series)},
                               {"suspects", answer.suspects},
                               {"change", number(answer.change)},
                               {"interval", {number(answer.low), number(answer.high)}},
                               {"reason", answer.reason}});
  }
  return json;
}

void print_json(const nlohmann::json& json) {
  fmt::print("{}\n", view::dumped(json));
}

}  // namespace tbci::daemon
