#include "bisect/measurements.hpp"

#include "storage/model/measurement.hpp"

namespace tbci::bisect {
namespace {

std::string no_value(const model::Series& series) {
  return "the measurement returned no value for " + model::to_string(series);
}

std::string impossible_value(const model::Series& series) {
  return "the measurement returned an impossible value for " + model::to_string(series);
}

std::string failure_of(const Error& error) {
  return error.message.empty() ? "the measurement failed" : error.message;
}

void add_value(const model::Series& series, const detect::Pair& pair, PairReadings& readings) {
  const auto effect = detect::effect(series.metric, pair);
  if (!effect) {
    readings.failure = impossible_value(series);
    return;
  }
  readings.pairs.push_back(pair);
  readings.effects.push_back(*effect);
}

void add_value(const model::Series& series, double value, RunReadings& readings) {
  if (detect::is_usable(series.metric, value)) {
    readings.values.push_back(value);
  } else {
    readings.failure = impossible_value(series);
  }
}

/// Adds an answer of the Prober to the readings of each series. An error other than `failed` says nothing about the
/// commit: it ends this call of bisect().
template <typename Value, typename Requests>
Status keep(Result<std::map<model::Series, Value>> answer, const std::vector<model::Series>& series,
            Requests& requests) {
  if (!answer && answer.error().kind != ErrorKind::failed) return pass_on(std::move(answer).error());
  ++requests.count;
  for (const model::Series& one : series) {
    auto& readings = requests.series[one];
    if (!readings.failure.empty()) continue;
    if (!answer) {
      readings.failure = failure_of(answer.error());
    } else if (const auto found = answer->find(one); found == answer->end()) {
      readings.failure = no_value(one);
    } else {
      add_value(one, found->second, readings);
    }
  }
  return {};
}

template <typename Map, typename Key>
const auto& find_or(const Map& all, const Key& key, const model::Series& series,
                    const typename decltype(Map::mapped_type::series)::mapped_type& none) {
  const auto requests = all.find(key);
  if (requests == all.end()) return none;
  const auto found = requests->second.series.find(series);
  return found == requests->second.series.end() ? none : found->second;
}

}  // namespace

Status check_not_stopped(const std::stop_token& stop) {
  if (!stop.stop_requested()) return {};
  return fail(ErrorKind::interrupted, "the bisection was stopped: run it again to continue where it stopped");
}

const PairReadings& Measurements::pairs(const CommitPair& commit_pair, const model::Series& series) const {
  static const PairReadings none;
  return find_or(pairs_, commit_pair, series, none);
}

const RunReadings& Measurements::runs(std::size_t commit, const model::Series& series) const {
  static const RunReadings none;
  return find_or(runs_, RunKey{commit, series.measured_case()}, series, none);
}

Status Measurements::add_pair(const CommitPair& commit_pair, const std::vector<model::Series>& series) {
  TBCI_TRY(check_not_stopped(stop_));
  auto& requests = pairs_[commit_pair];
  const int ordinal = requests.count;
  const model::Commit& reference = commits_[commit_pair.reference];
  const model::Commit& probe = commits_[commit_pair.probe];
  TBCI_TRY(keep(prober_.measure_pair(reference, probe, commit_pair.measured, ordinal, stop_), series, requests));
  ++status_.pairs;
  status_.runs += 2;
  observer_.pair_measured(reference, probe, commit_pair.measured, ordinal, status_);
  return {};
}

Status Measurements::add_run(std::size_t commit, const model::Case& measured,
                             const std::vector<model::Series>& series) {
  TBCI_TRY(check_not_stopped(stop_));
  auto& requests = runs_[{commit, measured}];
  const int ordinal = requests.count;
  TBCI_TRY(keep(prober_.measure_run(commits_[commit], measured, ordinal, stop_), series, requests));
  ++status_.runs;
  observer_.run_measured(commits_[commit], measured, ordinal, status_);
  return {};
}

double Measurements::as_change(std::size_t reference, const model::Series& series, double effect) const {
  std::vector<double> values = runs(reference, series).values;
  for (const auto& [commit_pair, requests] : pairs_) {
    if (commit_pair.reference != reference && commit_pair.probe != reference) continue;
    const auto found = requests.series.find(series);
    if (found == requests.series.end()) continue;
    for (const detect::Pair& pair : found->second.pairs)
      values.push_back(commit_pair.reference == reference ? pair.before : pair.after);
  }
  return detect::as_change(series.metric, effect, values.empty() ? 0 : model::median(std::move(values)));
}

}  // namespace tbci::bisect
