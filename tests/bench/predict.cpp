// What an iteration takes with a batch that was not recorded, from files that a worker wrote: `bench-predict BATCH
// N=FILE ... N=NANOSECONDS ...` predicts BATCH from recordings (`tbci-worker timeline`) of batches N and from times of
// iterations without the recorder, and prints a line of JSON. With `--parts` instead of BATCH it prints how the time of
// the recordings, all of one batch, is divided: what a prediction should have said. For tests/bench/predict_truth.py.
// `bench-predict --edges FILE` prints what waits for what in a recording of one iteration, as detect/predict/call_graph
// finds it: when both begin, and why. For tests/bench/graph_check.py.
#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "detect/predict/call_graph.hpp"
#include "detect/predict/prediction.hpp"
#include "runner/timeline.hpp"

namespace {

using namespace tbci;

Result<detect::RecordedIteration> read_recording(const std::string& file) {
  std::ifstream from(file);
  std::string line;
  if (!std::getline(from, line)) return fail(ErrorKind::failed, "{} has no timeline", file);
  const auto hello = nlohmann::json::parse(line, nullptr, false);
  if (!hello.is_object()) return fail(ErrorKind::failed, "{}: the first line is not JSON", file);
  TBCI_ASSIGN(const auto configuration, model::configuration_from(hello.value("configuration", "")));
  runner::TimelineReader reader({hello.value("benchmark", ""), configuration});
  while (reader.take(line) && std::getline(from, line)) continue;
  TBCI_ASSIGN(const model::Timeline timeline, std::move(reader).timeline());
  TBCI_ASSIGN(const detect::Look seen, detect::look_into(timeline));
  return detect::recorded_iteration(seen);
}

Result<std::vector<detect::CalibratedBatch>> read_batches(const std::vector<std::string>& words) {
  std::map<int, detect::CalibratedBatch> batches;
  for (const std::string& word : words) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) return fail(ErrorKind::usage, "'{}' is not N=FILE or N=NANOSECONDS", word);
    const int batch = std::stoi(word.substr(0, equals));
    const std::string value = word.substr(equals + 1);
    batches[batch].batch = batch;
    double time = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), time);
    if (error == std::errc() && end == value.data() + value.size()) {
      batches[batch].times.push_back(time);
    } else {
      TBCI_ASSIGN(batches[batch].recordings.emplace_back(), read_recording(value));
    }
  }
  std::vector<detect::CalibratedBatch> all;
  for (auto& [batch, one] : batches) {
    if (one.recordings.empty() || one.times.empty())
      return fail(ErrorKind::usage, "batch {} needs a recording and a time", batch);
    all.push_back(std::move(one));
  }
  return all;
}

nlohmann::json json_of_prediction(const detect::Prediction& prediction) {
  nlohmann::json kernels = nlohmann::json::object(), overheads = nlohmann::json::object();
  for (const auto& [family, time] : prediction.kernels) kernels[std::string(to_string(family))] = time.nanoseconds;
  for (const auto& [kind, time] : prediction.overheads) overheads[std::string(to_string(kind))] = time;
  return {{"time", prediction.time},       {"active", prediction.active()},    {"kernels", kernels},
          {"overheads", overheads},        {"faults", prediction.page_faults}, {"waiting", prediction.waiting},
          {"unknown", prediction.unknown}, {"rest", prediction.rest},          {"may_add", prediction.may_add}};
}

Result<nlohmann::json> edges_in(const std::string& file) {
  TBCI_ASSIGN(const detect::RecordedIteration recorded, read_recording(file));
  const detect::CallGraph graph = detect::graph_of(recorded);
  const auto begin = [&](std::size_t node) { return recorded.calls[graph.nodes[node]].begin; };
  nlohmann::json edges = nlohmann::json::array();
  for (const detect::CallEdge& edge : graph.edges)
    edges.push_back({begin(edge.from), begin(edge.to), std::string(to_string(edge.kind))});
  return edges;
}

Result<nlohmann::json> answer(const std::vector<std::string>& words) {
  if (words.empty()) return fail(ErrorKind::usage, "there is no batch");
  if (words.size() == 2 && words.front() == "--edges") return edges_in(words.back());
  TBCI_ASSIGN(auto batches, read_batches({words.begin() + 1, words.end()}));
  int batch = 0;
  if (words.front() == "--parts") {
    // Known from itself alone: no curve is fitted, each call takes what it took.
    if (batches.size() != 1) return fail(ErrorKind::usage, "--parts takes recordings of one batch");
    batch = batches.front().batch;
    batches.push_back(batches.front());
    batches.back().batch = batch + 1;
  } else {
    batch = std::stoi(words.front());
  }
  TBCI_ASSIGN(const detect::Prediction prediction, detect::predict_batch(std::move(batches), batch));
  return json_of_prediction(prediction);
}

}  // namespace

int main(int count, char** arguments) {
  const auto json = answer({arguments + 1, arguments + count});
  if (!json) {
    fmt::print(stderr, "bench-predict: {}\n", json.error().message);
    return 1;
  }
  fmt::print("{}\n", json->dump());
  return 0;
}
