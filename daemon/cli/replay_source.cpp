#include "daemon/cli/replay_source.hpp"

#include <fmt/format.h>

#include <map>
#include <tuple>

#include "detect/effect.hpp"

namespace tbci::daemon {

namespace {

constexpr int most_runs = 1000;  // of a subject; a night has one screen

// Numbers of two builds or of two environments are never mixed.
using Key = std::tuple<std::string, model::Case, std::int64_t, std::string>;

Status add_run(const storage::RunStore& store, const model::Run& run,
               std::map<Key, std::vector<std::vector<double>>>& known) {
  TBCI_ASSIGN(const auto measurements, store.measurements(run.id));
  std::map<Key, std::vector<double>> of_run;
  for (const model::PlacedMeasurement& one : measurements) {
    const auto time = model::value_of(one.measurement, model::Metric::time);
    // A process that took turns with another one has a level of its own.
    if (!time || one.measurement.alternating || !detect::is_usable(model::Metric::time, *time)) continue;
    of_run[{run.subject, one.measurement.measured, one.place.build_id, run.environment}].push_back(*time);
  }
  for (auto& [key, values] : of_run) known[key].push_back(std::move(values));
  return {};
}

}  // namespace

Result<RecordedTimes> recorded_times(const storage::RunStore& runs, const std::vector<std::string>& subjects) {
  RecordedTimes recorded;
  std::map<Key, std::vector<std::vector<double>>> known;
  for (const std::string& subject : subjects) {
    TBCI_ASSIGN(const auto all, runs.runs(subject, most_runs));
    for (const model::Run& run : all) {
      if (run.purpose != model::Purpose::screen && run.purpose != model::Purpose::manual) continue;
      TBCI_TRY(add_run(runs, run, known));
      ++recorded.runs;
    }
  }
  for (auto& [key, values] : known) {
    const auto& [subject, measured, build, environment] = key;
    std::erase_if(values, [](const auto& run) { return run.size() < detect::selftest::least_recorded; });
    if (values.empty()) {
      ++recorded.too_short;
      continue;
    }
    recorded.series.push_back({fmt::format("{} {} build {}", subject, to_string(measured), build), std::move(values)});
  }
  return recorded;
}

}  // namespace tbci::daemon
