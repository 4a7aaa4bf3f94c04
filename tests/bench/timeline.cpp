// Looks into a timeline that a worker writes: `tbci-worker timeline ... | bench-timeline`. Prints the split, the
// floating-point operations and the hints (those from 0.2% on) as a line of JSON. For tests/bench/hints_truth.py.
// `bench-timeline FILE ... -- FILE ...` compares recordings of two builds, and prints the hints that were added;
// `bench-timeline --step FILE ... -- FILE ...` what the step between them consists of; `bench-timeline --parts FILE`
// the operators of one recording with what they take themselves; `bench-timeline --what-if CHANGE FILE ...` what an
// iteration of each takes, and what it would take with the change.
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
#include "detect/timeline/step.hpp"
#include "detect/timeline/what_if.hpp"
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

nlohmann::json json_of(const model::StepPart& part) {
  return {{"kind", to_string(part.kind)}, {"overhead", part.overhead ? to_string(*part.overhead) : ""},
          {"operator", part.name},        {"nanoseconds", part.nanoseconds},
          {"clear", part.clear},          {"calls", {part.calls_before, part.calls_after}}};
}

Result<std::vector<detect::IterationParts>> parts_of_files(const std::vector<std::string>& files) {
  std::vector<detect::IterationParts> all;
  for (const std::string& file : files) {
    std::ifstream from(file);
    TBCI_ASSIGN(const model::Timeline timeline, read_timeline(from));
    TBCI_ASSIGN(const detect::Look seen, detect::look_into(timeline));
    all.push_back(detect::parts_of(seen));
  }
  return all;
}

Result<nlohmann::json> step_json(const std::vector<std::string>& before, const std::vector<std::string>& after) {
  TBCI_ASSIGN(const auto old_ones, parts_of_files(before));
  TBCI_ASSIGN(const auto new_ones, parts_of_files(after));
  const model::StepSplit step = detect::split_step(old_ones, new_ones);
  nlohmann::json json = {{"before", step.before},
                         {"after", step.after},
                         {"rest", step.rest},
                         {"parts", nlohmann::json::array()},
                         {"cause", nullptr}};
  for (const model::StepPart& part : step.parts) json["parts"].push_back(json_of(part));
  if (step.cause) json["cause"] = json_of(*step.cause);
  return json;
}

Result<nlohmann::json> list_parts(const std::string& file) {
  TBCI_ASSIGN(const auto all, parts_of_files({file}));
  nlohmann::json json = {{"nanoseconds", all.front().whole},
                         {"dispatch", all.front().dispatch_nanoseconds},
                         {"operators", nlohmann::json::array()}};
  for (const auto& [group, time] : all.front().groups) {
    json["operators"].push_back({{"operator", group.name},
                                 {"sizes", group.sizes},
                                 {"calls", time.calls},
                                 {"nanoseconds", time.own},
                                 {"kernel", time.kernel},
                                 {"in_region", group.region != detect::Region::none}});
  }
  json["regions"] = nlohmann::json::array();
  for (const auto& [call, nanoseconds] : all.front().region_calls) {
    json["regions"].push_back({{"region", call.region == detect::Region::tier ? "tier" : "communication"},
                               {"operator", call.name},
                               {"nanoseconds", nanoseconds}});
  }
  return json;
}

Result<nlohmann::json> suppose(const std::vector<std::string>& words) {
  if (words.empty()) return fail(ErrorKind::usage, "--what-if needs a change");
  TBCI_ASSIGN(const detect::SupposedChange change, detect::supposed_change_from(words.front()));
  TBCI_ASSIGN(const auto all, parts_of_files({words.begin() + 1, words.end()}));
  nlohmann::json json = nlohmann::json::array();
  for (const detect::IterationParts& parts : all) {
    const detect::SupposedTime time = detect::supposed_time(parts, {&change, 1});
    json.push_back({{"before", time.before}, {"after", time.after}, {"kernels", time.kernels}, {"calls", time.calls}});
  }
  return json;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<std::string> files[2];
  std::string what;
  std::size_t side = 0;
  for (int i = 1; i < count; ++i) {
    const std::string word = arguments[i];
    if (word == "--") {
      side = 1;
    } else if (word == "--step" || word == "--parts" || word == "--what-if") {
      what = word;
    } else {
      files[side].push_back(word);
    }
  }
  const auto json = what == "--step"                         ? step_json(files[0], files[1])
                    : what == "--parts" && !files[0].empty() ? list_parts(files[0].front())
                    : what == "--what-if"                    ? suppose(files[0])
                    : count > 1                              ? compare(files[0], files[1])
                                                             : look();
  if (!json) {
    fmt::print(stderr, "bench-timeline: {}\n", json.error().message);
    return 1;
  }
  fmt::print("{}\n", json->dump());
  return 0;
}
