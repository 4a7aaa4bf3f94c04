#include "daemon/cli/json.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "web/queries/json.hpp"

namespace tbci::daemon {

namespace {

nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

}  // namespace

nlohmann::json json_of(const pipeline::NightResult& result) {
  nlohmann::json json = {{"night", web::queries::json_of(result.night)}, {"checked_before", result.checked_before}};
  json["findings"] = nlohmann::json::array();
  for (const model::Finding& finding : result.findings) json["findings"].push_back(web::queries::json_of(finding));
  json["regressions"] = nlohmann::json::array();
  for (const model::Regression& regression : result.regressions) {
    json["regressions"].push_back({{"id", regression.id},
                                   {"series", to_string(regression.finding.series)},
                                   {"change", number(regression.finding.change)},
                                   {"state", to_string(regression.state)},
                                   {"standing", to_string(regression.standing)},
                                   {"suspects", regression.suspects},
                                   {"reason", regression.reason}});
  }
  json["reports"] = nlohmann::json::array();
  for (const model::Report& report : result.reports)
    json["reports"].push_back({{"id", report.id}, {"title", report.title}});
  return json;
}

namespace {

nlohmann::json step_json(const model::FoundStep& step) {
  return {{"suspects", step.suspects},     {"posterior", number(step.posterior)},
          {"change", number(step.change)}, {"interval", {number(step.low), number(step.high)}},
          {"repair", step.repair},         {"reason", step.reason},
          {"prior", number(step.prior)},   {"prior_reason", step.prior_reason}};
}

}  // namespace

nlohmann::json answers_json(const model::Bisection& bisection) {
  nlohmann::json json = {{"from", bisection.from},
                         {"to", bisection.to},
                         {"builds", bisection.builds},
                         {"measurements", bisection.measurements}};
  json["culprits"] = json["without_culprit"] = json["answers"] = nlohmann::json::array();
  std::set<std::vector<std::string>> sets;
  for (const model::Answer& answer : bisection.answers) {
    const std::string series = to_string(answer.series);
    nlohmann::json steps = nlohmann::json::array();
    for (const model::FoundStep& step : steps_of(answer)) {
      steps.push_back(step_json(step));
      if (step.suspects.size() > 1) sets.insert(step.suspects);
      if (step.suspects.size() != 1) continue;
      nlohmann::json culprit = step_json(step);
      culprit["commit"] = step.suspects.front();
      culprit["series"] = series;
      culprit.erase("suspects");
      json["culprits"].push_back(std::move(culprit));
    }
    const nlohmann::json interval = {number(answer.low), number(answer.high)};
    if (answer.suspects.empty()) {
      json["without_culprit"].push_back(
          {{"series", series}, {"reason", answer.reason}, {"change", number(answer.change)}, {"interval", interval}});
    }
    json["answers"].push_back({{"series", series},
                               {"suspects", answer.suspects},
                               {"change", number(answer.change)},
                               {"interval", interval},
                               {"posterior", number(answer.posterior)},
                               {"steps", steps},
                               {"reason", answer.reason}});
  }
  json["suspects"] = sets;
  return json;
}

nlohmann::json reverts_json(const std::vector<pipeline::RevertCheck>& checks) {
  nlohmann::json json = nlohmann::json::array();
  for (const pipeline::RevertCheck& check : checks) {
    nlohmann::json findings = nlohmann::json::array();
    for (const model::Finding& finding : check.findings) findings.push_back(web::queries::json_of(finding));
    json.push_back({{"culprit", check.culprit},
                    {"commit", check.commit},
                    {"reason", check.reason},
                    {"findings", std::move(findings)}});
  }
  return json;
}

void print_json(const nlohmann::json& json) {
  fmt::print("{}\n", web::queries::dumped(json));
}

}  // namespace tbci::daemon
