#include "daemon/cli/what_if_table.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "daemon/cli/table.hpp"

namespace tbci::daemon {

namespace {

std::string supposed_length(double nanoseconds) {
  return human_duration(std::chrono::nanoseconds(std::llround(nanoseconds)));
}

std::vector<std::string> supposed_row(const SupposedCase& supposed) {
  const detect::SupposedTime& time = supposed.time;
  return {to_string(supposed.measured),
          supposed_length(time.before),
          supposed_length(time.after),
          fmt::format("{:+.1f}%", time.share() * 100),
          fmt::format("{:.1f}%", time.before > 0 ? time.kernels / time.before * 100 : 0),
          fmt::format("{:.0f}", time.calls)};
}

}  // namespace

std::string supposed_text(std::vector<SupposedCase> cases, const std::vector<detect::SupposedChange>& changes) {
  std::ranges::stable_sort(cases, std::greater{}, [](const SupposedCase& each) { return std::abs(each.time.share()); });
  Table table({{"case", Align::left},
               {"time", Align::right},
               {"supposed", Align::right},
               {"change", Align::right},
               {"its kernels", Align::right},
               {"calls", Align::right}});
  std::size_t without = 0;
  bool computes = false;  // one call in many is long because something disturbed it
  for (const SupposedCase& each : cases) {
    computes = computes || each.time.kernels > 0.001 * each.time.before;
    if (each.time.calls > 0) {
      table.add(supposed_row(each));
    } else {
      ++without;
    }
  }
  std::string text = table.text();
  if (without > 0) text += fmt::format("{} without such calls\n", counted(without, "case"));
  const bool factors = std::ranges::any_of(changes, [](const auto& change) { return change.factor != 1; });
  if (factors && !table.empty() && !computes)
    text +=
        "A factor changes nothing here: what is named is a view, or only calls other operators. Name those, or a cost "
        "of each call.\n";
  return text;
}

nlohmann::json json_of(const SupposedCase& supposed) {
  return {{"benchmark", supposed.measured.benchmark},    {"configuration", to_string(supposed.measured.configuration)},
          {"nanoseconds", supposed.time.before},         {"supposed_nanoseconds", supposed.time.after},
          {"kernel_nanoseconds", supposed.time.kernels}, {"calls", supposed.time.calls}};
}

}  // namespace tbci::daemon
