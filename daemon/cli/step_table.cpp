#include "daemon/cli/step_table.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

std::chrono::nanoseconds whole_nanoseconds(double nanoseconds) {
  return std::chrono::nanoseconds(std::llround(nanoseconds));
}

std::string part_name(const model::StepPart& part) {
  std::string text(to_string(part.kind));
  if (part.overhead) text += fmt::format(", {}", to_string(*part.overhead));
  return text;
}

nlohmann::json part_json(const model::StepPart& part) {
  return {{"kind", to_string(part.kind)},
          {"overhead", part.overhead ? nlohmann::json(to_string(*part.overhead)) : nlohmann::json()},
          {"operator", valid_utf8(part.name)},
          {"nanoseconds", whole_nanoseconds(part.nanoseconds).count()},
          {"calls_before", std::lround(part.calls_before)},
          {"calls_after", std::lround(part.calls_after)},
          {"clear", part.clear}};
}

}  // namespace

std::string text_of(const model::StepSplit& step) {
  const double difference = step.difference();
  std::string text =
      fmt::format("\n{}: {} -> {} an iteration ({}) in {} recorded processes each\n{}\n", to_string(step.measured),
                  human_duration(whole_nanoseconds(step.before)), human_duration(whole_nanoseconds(step.after)),
                  human_change(difference / step.before), step.recordings,
                  step.cause ? fmt::format("cause: {}", one_line(sentence_of(*step.cause), 200))
                             : std::string("no cause: no single part explains the step"));
  Table table({{"part"},
               {"operator"},
               {"calls before", Align::right},
               {"after", Align::right},
               {"difference", Align::right},
               {"of the step", Align::right}});
  const auto share = [&](double nanoseconds) {
    return difference == 0 ? std::string("-") : fmt::format("{:.0f}%", 100 * nanoseconds / difference);
  };
  const auto calls = [](double number) { return number > 0 ? fmt::format("{:.0f}", number) : std::string(); };
  for (const model::StepPart& part : step.parts) {
    table.add({part_name(part), one_line(part.name, 80), calls(part.calls_before), calls(part.calls_after),
               human_difference(whole_nanoseconds(part.nanoseconds)), share(part.nanoseconds)});
  }
  table.add({"the rest", "", "", "", human_difference(whole_nanoseconds(step.rest)), share(step.rest)});
  return text + table.text();
}

nlohmann::json json_of(const model::StepSplit& step) {
  nlohmann::json json = {{"benchmark", valid_utf8(step.measured.benchmark)},
                         {"configuration", std::string(to_string(step.measured.configuration))},
                         {"recordings", step.recordings},
                         {"before_nanoseconds", whole_nanoseconds(step.before).count()},
                         {"after_nanoseconds", whole_nanoseconds(step.after).count()},
                         {"rest_nanoseconds", whole_nanoseconds(step.rest).count()},
                         {"cause", step.cause ? part_json(*step.cause) : nlohmann::json()},
                         {"parts", nlohmann::json::array()}};
  for (const model::StepPart& part : step.parts) json["parts"].push_back(part_json(part));
  return json;
}

}  // namespace tbci::daemon
