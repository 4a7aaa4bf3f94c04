#include "daemon/cli/operator_table.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

double fraction(std::chrono::nanoseconds part, std::chrono::nanoseconds whole) {
  return static_cast<double>(part.count()) / static_cast<double>(whole.count());
}

}  // namespace

std::string text_of(const model::OperatorComparison& compared) {
  std::string text =
      fmt::format("\n{}: {} -> {} an iteration ({}) in {} profiled processes each\n", to_string(compared.measured),
                  human_duration(compared.before), human_duration(compared.after),
                  human_change(fraction(compared.difference(), compared.before)), compared.processes);
  Table table({{"operator"},
               {"before", Align::right},
               {"after", Align::right},
               {"difference", Align::right},
               {"of the iteration", Align::right},
               {"calls before", Align::right},
               {"after", Align::right}});
  for (const model::OperatorChange& change : compared.changed) {
    table.add({one_line(change.name, 80), human_duration(change.before), human_duration(change.after),
               human_difference(change.difference()), human_change(fraction(change.difference(), compared.before)),
               std::to_string(change.calls_before), std::to_string(change.calls_after)});
  }
  return text + (table.empty() ? std::string("no operator changed\n") : table.text());
}

nlohmann::json json_of(const model::OperatorComparison& compared) {
  nlohmann::json json = {{"benchmark", valid_utf8(compared.measured.benchmark)},
                         {"configuration", std::string(to_string(compared.measured.configuration))},
                         {"processes", compared.processes},
                         {"before_nanoseconds", compared.before.count()},
                         {"after_nanoseconds", compared.after.count()},
                         {"operators", nlohmann::json::array()}};
  for (const model::OperatorChange& change : compared.changed) {
    json["operators"].push_back({{"name", valid_utf8(change.name)},
                                 {"before_nanoseconds", change.before.count()},
                                 {"after_nanoseconds", change.after.count()},
                                 {"calls_before", change.calls_before},
                                 {"calls_after", change.calls_after}});
  }
  return json;
}

}  // namespace tbci::daemon
