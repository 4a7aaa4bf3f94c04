// Looks into a timeline that a worker writes: `tbci-worker timeline ... | bench-timeline`. Prints the split, the
// floating-point operations and the hints (those from 0.2% on) as a line of JSON. For tests/bench/hints_truth.py.
#include <fmt/format.h>

#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "detect/timeline/flops.hpp"
#include "detect/timeline/hints.hpp"
#include "detect/timeline/split.hpp"
#include "runner/timeline.hpp"

namespace {

using namespace tbci;

// The case that the worker greets with, whichever it is.
Result<model::Timeline> read_timeline() {
  std::string line;
  if (!std::getline(std::cin, line)) return fail(ErrorKind::failed, "there is no timeline on the standard input");
  const auto hello = nlohmann::json::parse(line, nullptr, false);
  if (!hello.is_object()) return fail(ErrorKind::failed, "the first line is not JSON");
  TBCI_ASSIGN(const auto configuration, model::configuration_from(hello.value("configuration", "")));
  runner::TimelineReader reader({hello.value("benchmark", ""), configuration});
  while (reader.take(line) && std::getline(std::cin, line)) continue;
  return std::move(reader).timeline();
}

Result<nlohmann::json> look() {
  TBCI_ASSIGN(const model::Timeline timeline, read_timeline());
  TBCI_ASSIGN(const detect::Look seen, detect::look_into(timeline));
  const detect::TimeSplit split = detect::split_of(seen);
  nlohmann::json json = {{"active", split.active / split.whole()},
                         {"movement", split.movement / split.whole()},
                         {"idle", split.idle / split.whole()},
                         {"nanoseconds", split.whole()},
                         {"calls", timeline.calls.size() / timeline.iterations.size()},
                         {"flops", detect::flops_of_iteration(seen)},
                         {"hints", nlohmann::json::array()}};
  double watched = 0, unwatched = 0;
  for (const auto& one : timeline.iterations) {
    watched += static_cast<double>(one.watched);
    unwatched += static_cast<double>(one.unwatched);
  }
  json["recorded"] = watched / unwatched;
  for (const detect::Hint& hint : detect::hints_of(seen, {.least_gain = 0.002}))
    json["hints"].push_back({{"kind", to_string(hint.kind)}, {"operator", place_of(hint)}, {"gain", hint.gain}});
  return json;
}

}  // namespace

int main() {
  const auto json = look();
  if (!json) {
    fmt::print(stderr, "bench-timeline: {}\n", json.error().message);
    return 1;
  }
  fmt::print("{}\n", json->dump());
  return 0;
}
