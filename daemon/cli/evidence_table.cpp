#include "daemon/cli/evidence_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

// In the order in which the worker wrote them: the model as a whole first.
struct CountedThing {
  std::string of, name;
  model::EvidenceUnit unit = model::EvidenceUnit::count;
  bool operator==(const CountedThing&) const = default;
};

std::vector<CountedThing> counted_things(const std::vector<model::Measurement>& measurements) {
  std::vector<CountedThing> things;
  for (const model::Measurement& measurement : measurements) {
    for (const model::Evidence& each : measurement.evidence) {
      CountedThing thing{one_line(each.of, 80), one_line(each.name, 80), each.unit};
      if (std::ranges::find(things, thing) == things.end()) things.push_back(std::move(thing));
    }
  }
  return things;
}

std::optional<double> median_of_thing(const std::vector<model::Measurement>& measurements, const CountedThing& thing) {
  std::vector<double> values;
  for (const model::Measurement& measurement : measurements) {
    for (const model::Evidence& each : measurement.evidence) {
      if (CountedThing{one_line(each.of, 80), one_line(each.name, 80), each.unit} == thing)
        values.push_back(each.value);
    }
  }
  return values.empty() ? std::nullopt : std::optional(model::median(std::move(values)));
}

std::string value_in_unit(std::optional<double> value, model::EvidenceUnit unit) {
  if (!value) return "";
  if (unit == model::EvidenceUnit::bytes) return human_bytes(*value);
  if (unit == model::EvidenceUnit::nanoseconds) return human_duration(std::chrono::nanoseconds(std::llround(*value)));
  return human_count(*value);
}

}  // namespace

std::string evidence_of_run(const std::map<model::Case, std::vector<model::Measurement>>& results) {
  Table table({{"what the model counts"}, {"of an iteration"}, {"", Align::right}});
  std::set<std::string> parts;
  for (const auto& [measured, measurements] : results) {
    for (const CountedThing& thing : counted_things(measurements)) {
      if (!thing.of.empty()) {
        parts.insert(thing.of);
        continue;
      }
      table.add({to_string(measured), thing.name, value_in_unit(median_of_thing(measurements, thing), thing.unit)});
    }
  }
  std::string text = table.empty() ? "" : "\n" + table.text();
  if (!parts.empty()) text += fmt::format("{} counted as well: --json has them\n", counted(parts.size(), "part"));
  return text;
}

std::string evidence_of_builds(const std::vector<EvidenceOfCase>& compared) {
  Table table({{"what the model counts"},
               {"of an iteration"},
               {"before", Align::right},
               {"after", Align::right},
               {"change", Align::right}});
  for (const EvidenceOfCase& each : compared) {
    for (const CountedThing& thing : counted_things(each.after)) {
      const auto before = median_of_thing(each.before, thing), after = median_of_thing(each.after, thing);
      if (!before || !after) continue;
      const double change = *before == *after ? 0 : *after / *before - 1;  // infinite from nothing: `new`
      if (!thing.of.empty() && std::abs(change) <= 0.01) continue;
      table.add({to_string(each.measured), thing.of.empty() ? thing.name : thing.of + ": " + thing.name,
                 value_in_unit(before, thing.unit), value_in_unit(after, thing.unit), human_change(change)});
    }
  }
  return table.empty() ? "" : "\n" + table.text();
}

nlohmann::json evidence_json(const std::vector<model::Evidence>& evidence) {
  nlohmann::json list = nlohmann::json::array();
  for (const model::Evidence& each : evidence) {
    list.push_back({{"name", one_line(each.name, 80)},
                    {"of", one_line(each.of, 80)},
                    {"unit", to_string(each.unit)},
                    {"value", each.value}});
  }
  return list;
}

nlohmann::json evidence_json(const EvidenceOfCase& compared) {
  nlohmann::json list = nlohmann::json::array();
  for (const CountedThing& thing : counted_things(compared.after)) {
    const auto before = median_of_thing(compared.before, thing), after = median_of_thing(compared.after, thing);
    if (!before || !after) continue;
    list.push_back({{"name", thing.name},
                    {"of", thing.of},
                    {"unit", to_string(thing.unit)},
                    {"before", *before},
                    {"after", *after}});
  }
  return {{"benchmark", compared.measured.benchmark},
          {"configuration", to_string(compared.measured.configuration)},
          {"evidence", std::move(list)}};
}

}  // namespace tbci::daemon
