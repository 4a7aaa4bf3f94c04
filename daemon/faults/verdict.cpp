#include "daemon/faults/verdict.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "base/text.hpp"

namespace tbci::daemon::faults {

namespace {

using Json = nlohmann::json;
using Commits = std::set<std::string>;

// Null stands for what is not finite: a change from nothing.
double number_in(const Json& value) {
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

template <typename Answer, typename Read>
Result<Answer> read_as(std::string_view what, std::string_view text, const Read& read) {
  try {
    return read(Json::parse(text));
  } catch (const Json::exception& error) {
    return fail(ErrorKind::failed, "{} printed no such JSON as is expected ({}): {}", what, one_line(error.what()),
                text.empty() ? "nothing" : one_line(text, 300));
  }
}

Commits as_set(const std::vector<std::string>& commits) {
  return {commits.begin(), commits.end()};
}

bool names_the_culprit(const Truth& truth, const CheckedNight& night) {
  const auto right = [&](const std::vector<std::string>& suspects) {
    return as_set(suspects) == as_set(truth.culprits);
  };
  return !night.suspects.empty() && std::ranges::all_of(night.suspects, right);
}

// A row of the report's table of series, whose words have a backslash before an underscore.
bool has_row_of(const PaperFault& fault, std::string report) {
  std::erase(report, '\\');
  return contains(report, fmt::format("\n| {} | cpu-infer | {} |", fault.benchmark, fault.metric));
}

// The operator of the fault that changed most; of a leak its series.
std::string name_in(const PaperFault& fault, const std::string& report) {
  if (fault.operators.empty()) return has_row_of(fault, report) ? fault.series() : "";
  for (const std::string& name : operators_in(report)) {
    const auto is_overload = [&](const std::string& wanted) { return name.starts_with(wanted + "."); };
    if (std::ranges::any_of(fault.operators, is_overload)) return name;
  }
  return "";
}

void complain_of_a_filing_night(const PaperFault& fault, const CheckedNight& night, NightVerdict& verdict) {
  if (verdict.reports != 1) verdict.complaints.push_back(fmt::format("reports filed: {}, not 1", verdict.reports));
  if (night.undelivered > 0) verdict.complaints.push_back(fmt::format("reports not delivered: {}", night.undelivered));
  if (!verdict.culprit)
    verdict.complaints.emplace_back(night.suspects.empty() ? "no regression" : "not exactly the culprit is named");
  if (!verdict.measured || !verdict.measured->confirmed)
    verdict.complaints.push_back(fmt::format("{} is not confirmed", fault.series()));
  if (!verdict.named) {
    verdict.complaints.push_back(fault.operators.empty()
                                     ? fmt::format("the report does not name {}", fault.series())
                                     : fmt::format("the report names none of {}", join(fault.operators, ", ")));
  }
}

}  // namespace

Result<Truth> read_truth(std::string_view json) {
  return read_as<Truth>("tbci-miniature", json, [](const Json& facts) {
    const Json& nightlies = facts.at("nightlies");
    return Truth{.before = nightlies.at(nightlies.size() - 2).at("day"),
                 .after = nightlies.back().at("day"),
                 .culprits = facts.at("culprits").at(0).at("indistinguishable")};
  });
}

Result<CheckedNight> read_night(std::string_view json) {
  return read_as<CheckedNight>("tbci check", json, [](const Json& facts) {
    CheckedNight night;
    for (const Json& one : facts.at("findings")) {
      night.changes.push_back({.series = one.at("series"),
                               .change = number_in(one.at("change")),
                               .low = number_in(one.at("low")),
                               .high = number_in(one.at("high")),
                               .after = number_in(one.at("after")),
                               .confirmed = one.at("verdict") == "regression"});
    }
    for (const Json& one : facts.at("regressions")) night.suspects.push_back(one.at("suspects"));
    for (const Json& one : facts.at("reports")) {
      night.reports.push_back(one.at("title").get<std::string>() + "\n\n" + one.at("body").get<std::string>());
      const auto delivered = [](const Json& delivery) { return delivery.at("state") == "delivered"; };
      if (!std::ranges::all_of(one.at("deliveries"), delivered)) ++night.undelivered;
    }
    return night;
  });
}

std::vector<std::string> operators_in(std::string_view report) {
  std::vector<std::string> names;
  bool inside = false;
  for (const std::string& line : split(report, '\n')) {
    if (line.starts_with('#')) inside = line == "### Operators that changed";
    if (!inside || !line.starts_with("| ")) continue;
    // Markdown has a backslash before what it would read as emphasis.
    std::string name(trim(std::string_view(line).substr(2, line.find(" |") - 2)));
    std::erase(name, '\\');
    if (name != "operator" && name != "---" && name != "all others") names.push_back(std::move(name));
  }
  return names;
}

NightVerdict judge(const PaperFault& fault, const PlayedNight& played, const Truth& truth, const CheckedNight& night) {
  NightVerdict verdict;
  verdict.reports = night.reports.size();
  for (const Change& change : night.changes) {
    if (change.series == fault.series() && (!verdict.measured || change.confirmed)) verdict.measured = change;
  }
  verdict.culprit = names_the_culprit(truth, night);
  for (const std::string& report : night.reports) {
    if (verdict.name.empty()) verdict.name = name_in(fault, report);
  }
  verdict.named = !verdict.name.empty();
  if (played.files) {
    complain_of_a_filing_night(fault, night, verdict);
  } else {
    if (!night.suspects.empty() || !night.reports.empty())
      verdict.complaints.emplace_back("a regression, where there is none");
    if (!verdict.measured) verdict.complaints.push_back(fmt::format("{} was not measured", fault.series()));
  }
  return verdict;
}

}  // namespace tbci::daemon::faults
