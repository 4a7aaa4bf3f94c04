#include "daemon/faults/answer_text.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon::faults {

namespace {

nlohmann::json number(double value) {
  return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json();
}

// `+12.3% [+11.0%, +13.4%]`, `+1.2%` where nothing was confirmed; of a leak `1.0 MiB an iteration`.
std::string change_text(const Change& change) {
  if (change.series.ends_with("_leak")) return human_bytes(change.after) + " an iteration";
  if (change.low == change.high) return human_change(change.change);  // a screen gives no interval
  return fmt::format("{} [{}, {}]", human_change(change.change), human_change(change.low), human_change(change.high));
}

std::string measured_text(const FaultAnswer& answer) {
  if (answer.nights.empty()) return "-";
  const std::optional<Change>& measured = answer.nights.front().verdict.measured;
  return measured ? change_text(*measured) : "-";
}

std::string culprit_text(const FaultAnswer& answer) {
  if (answer.nights.empty()) return "-";
  return answer.nights.front().verdict.culprit ? "right" : "WRONG";
}

std::string name_text(const FaultAnswer& answer) {
  if (answer.nights.empty() || !answer.nights.front().verdict.named) return "-";
  return answer.nights.front().verdict.name;
}

// What the table has no room for: the other cases of a night, and the nights beside the first one.
std::string more_of(const FaultAnswer& answer) {
  std::string text;
  for (const NightAnswer& night : answer.nights) {
    for (const Change& change : night.changes) {
      if (night.played.files && change.series == answer.fault.series()) continue;
      text += fmt::format("  {}, {}: {} {}, {}\n", answer.fault.kind, night.played.name, change.series,
                          change_text(change), change.confirmed ? "a regression" : "no regression");
    }
  }
  return text;
}

std::string complaints_of(const FaultAnswer& answer) {
  std::string text;
  for (const NightAnswer& night : answer.nights) {
    if (night.verdict.complaints.empty()) continue;
    text +=
        fmt::format("WRONG: {}, {}: {}\n", answer.fault.kind, night.played.name, join(night.verdict.complaints, "; "));
  }
  if (!answer.failure.empty()) text += fmt::format("FAILED: {}: {}\n", answer.fault.kind, answer.failure);
  return text;
}

nlohmann::json change_json(const Change& change) {
  return {{"series", change.series},     {"change", number(change.change)}, {"low", number(change.low)},
          {"high", number(change.high)}, {"after", number(change.after)},   {"regression", change.confirmed}};
}

nlohmann::json night_json(const NightAnswer& night) {
  nlohmann::json json = {{"night", night.played.name},        {"must_file", night.played.files},
                         {"reports", night.verdict.reports},  {"culprit", night.verdict.culprit},
                         {"named", night.verdict.name},       {"complaints", night.verdict.complaints},
                         {"changes", nlohmann::json::array()}};
  for (const Change& change : night.changes) json["changes"].push_back(change_json(change));
  return json;
}

}  // namespace

std::string answer_text(const std::vector<FaultAnswer>& answers) {
  Table table({{"fault"},
               {"PR", Align::right},
               {"the paper"},
               {"series"},
               {"measured"},
               {"culprit"},
               {"named"},
               {"s", Align::right}});
  std::string more, complaints;
  for (const FaultAnswer& answer : answers) {
    table.add({answer.fault.kind, std::to_string(answer.fault.pull_request), answer.fault.paper, answer.fault.series(),
               measured_text(answer), culprit_text(answer), name_text(answer), fmt::format("{:.0f}", answer.seconds)});
    more += more_of(answer);
    complaints += complaints_of(answer);
  }
  if (!more.empty()) more = "\nBeside them:\n" + more;
  if (!complaints.empty()) complaints = "\n" + complaints;
  const auto right = std::ranges::count_if(answers, &FaultAnswer::right);
  return fmt::format("{}{}{}\n{} of {} right.\n", table.text(), more, complaints, right, answers.size());
}

nlohmann::json answer_json(const std::vector<FaultAnswer>& answers) {
  nlohmann::json json = {{"right", std::ranges::count_if(answers, &FaultAnswer::right)},
                         {"faults", nlohmann::json::array()}};
  for (const FaultAnswer& answer : answers) {
    nlohmann::json one = {{"fault", answer.fault.kind},       {"pull_request", answer.fault.pull_request},
                          {"paper", answer.fault.paper},      {"strength", answer.fault.strength},
                          {"series", answer.fault.series()},  {"right", answer.right()},
                          {"failure", answer.failure},        {"seconds", answer.seconds},
                          {"nights", nlohmann::json::array()}};
    for (const NightAnswer& night : answer.nights) one["nights"].push_back(night_json(night));
    json["faults"].push_back(std::move(one));
  }
  return json;
}

}  // namespace tbci::daemon::faults
