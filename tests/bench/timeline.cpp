// Looks into a timeline that a worker writes: `tbci-worker timeline ... | bench-timeline`. Prints the split, the
// floating-point operations and the hints (those from 0.2% on) as a line of JSON. For tests/bench/hints_truth.py.
// `bench-timeline FILE ... -- FILE ...` compares recordings of two builds, and prints the hints that were added.
#include <fmt/format.h>

#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "detect/timeline/added_hints.hpp"
#include "detect/timeline/flops.hpp"
#include "detect/timeline/hints.hpp"
#include "detect/timeline/split.hpp"
#include "runner/timeline.hpp"

namespace {

using namespace tbci;

// The case that the worker greets with, whichever it is.
Result<model::Timeline> read_timeline(std::istream& from) {
  std::string line;
  if (!std::getline(from, line)) return fail(ErrorKind::failed, "there is no timeline");
  const auto hello = nlohmann::json::parse(line, nullptr, false);
  if (!hello.is_object()) return fail(ErrorKind::failed, "the first line is not JSON");
  TBCI_ASSIGN(const auto configuration, model::configuration_from(hello.value("configuration", "")));
  runner::TimelineReader reader({hello.value("benchmark", ""), configuration});
  while (reader.take(line) && std::getline(from, line)) continue;
  return std::move(reader).timeline();
}

Result<nlohmann::json> look() {
  TBCI_ASSIGN(const model::Timeline timeline, read_timeline(std::cin));
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

Result<std::vector<detect::HintRecording>> recordings_of(const std::vector<std::string>& files) {
  std::vector<detect::HintRecording> recordings;
  for (const std::string& file : files) {
    std::ifstream from(file);
    TBCI_ASSIGN(const model::Timeline timeline, read_timeline(from));
    TBCI_ASSIGN(const detect::Look seen, detect::look_into(timeline));
    recordings.push_back({detect::hints_of(seen, {.least_gain = 0}), detect::split_of(seen).whole()});
  }
  return recordings;
}

Result<nlohmann::json> compare(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  TBCI_ASSIGN(const auto old_ones, recordings_of(before));
  TBCI_ASSIGN(const auto new_ones, recordings_of(after));
  nlohmann::json json = nlohmann::json::array();
  for (const auto& [hint, calls_before] : detect::added_hints(old_ones, new_ones, detect::HintThresholds().least_gain))
    json.push_back({{"kind", to_string(hint.kind)}, {"operator", place_of(hint)}, {"gain", hint.gain}});
  return json;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> files[2];
  std::size_t side = 0;
  for (int i = 1; i < count; ++i) {
    if (std::string(arguments[i]) == "--") {
      side = 1;
    } else {
      files[side].emplace_back(arguments[i]);
    }
  }
  const auto json = count > 1 ? compare(files[0], files[1]) : look();
  if (!json) {
    fmt::print(stderr, "bench-timeline: {}\n", json.error().message);
    return 1;
  }
  fmt::print("{}\n", json->dump());
  return 0;
}
