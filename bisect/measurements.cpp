#include "bisect/measurements.hpp"

#include "storage/model/measurement.hpp"

namespace tbci::bisect {
namespace {

/// As many failures are tried again, as in a confirmation. More end the measuring, if most of what was tried failed.
constexpr int most_failures = 3;

void add_failure(std::string why, std::size_t successes, int& failures, std::string& failure) {
  ++failures;
  if (failures > most_failures && failures > static_cast<int>(successes)) failure = std::move(why);
}
void add_failure(std::string why, PairReadings& readings) {
  add_failure(std::move(why), readings.pairs.size(), readings.failures, readings.failure);
}
void add_failure(std::string why, ProcessReadings& readings) {
  add_failure(std::move(why), readings.values.size(), readings.failures, readings.failure);
}

std::string no_value(const model::Series& series) {
  return "the measurement returned no value for " + model::to_string(series);
}

std::string impossible_value(const model::Series& series) {
  return "the measurement returned an impossible value for " + model::to_string(series);
}

std::string failure_of(const Error& error) {
  return error.message.empty() ? "the measurement failed" : error.message;
}

/// False for a value that is impossible, which counts as a failure.
bool add_value(const model::Series& series, const detect::Pair& pair, PairReadings& readings) {
  const auto effect = detect::effect(series.metric, pair);
  if (!effect) {
    add_failure(impossible_value(series), readings);
    return false;
  }
  readings.pairs.push_back(pair);
  readings.effects.push_back(*effect);
  return true;
}

bool add_value(const model::Series& series, double value, ProcessReadings& readings) {
  if (!detect::is_usable(series.metric, value)) {
    add_failure(impossible_value(series), readings);
    return false;
  }
  readings.values.push_back(value);
  return true;
}

/// Adds an answer of the Prober to the readings of each series, and calls `added(series, value)` for each that counts.
/// An error other than `failed` says nothing about the commit: it ends this call of bisect().
template <typename Value, typename Requests, typename Added>
Status keep(Result<std::map<model::Series, Value>> answer, const std::vector<model::Series>& series, Requests& requests,
            Added added) {
  if (!answer && answer.error().kind != ErrorKind::failed) return pass_on(std::move(answer).error());
  ++requests.count;
  for (const model::Series& one : series) {
    auto& readings = requests.series[one];
    if (!answer) {
      add_failure(failure_of(answer.error()), readings);
    } else if (const auto found = answer->find(one); found == answer->end()) {
      add_failure(no_value(one), readings);
    } else if (add_value(one, found->second, readings)) {
      added(one, found->second);
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

const ProcessReadings& Measurements::processes(std::size_t commit, const model::Series& series) const {
  static const ProcessReadings none;
  return find_or(processes_, CommitCase{commit, series.measured_case()}, series, none);
}

Status Measurements::add_pair(const CommitPair& commit_pair, const std::vector<model::Series>& series) {
  TBCI_TRY(check_not_stopped(stop_));
  auto& requests = pairs_[commit_pair];
  const int ordinal = requests.count;
  const model::Commit& reference = commits_[commit_pair.reference];
  const model::Commit& probe = commits_[commit_pair.probe];
  const auto in_sequence = [&](const model::Series& one, const detect::Pair& pair) {
    auto& sequence = sequences_[one];
    sequence.push_back({commit_pair.reference, pair.before});
    sequence.push_back({commit_pair.probe, pair.after});
  };
  TBCI_TRY(keep(prober_.measure_pair(reference, probe, commit_pair.measured, ordinal, stop_), series, requests,
                in_sequence));
  ++status_.pairs;
  status_.processes += 2;
  observer_.pair_measured(reference, probe, commit_pair.measured, ordinal, status_);
  return {};
}

Status Measurements::add_process(std::size_t commit, const model::Case& measured,
                                 const std::vector<model::Series>& series) {
  TBCI_TRY(check_not_stopped(stop_));
  auto& requests = processes_[{commit, measured}];
  const int ordinal = requests.count;
  TBCI_TRY(keep(prober_.measure_process(commits_[commit], measured, ordinal, stop_), series, requests,
                [&](const model::Series& one, double value) {
                  sequences_[one].push_back({commit, value});
                }));
  ++status_.processes;
  observer_.process_measured(commits_[commit], measured, ordinal, status_);
  return {};
}

const std::vector<CommitReading>& Measurements::sequence(const model::Series& series) const {
  static const std::vector<CommitReading> none;
  const auto found = sequences_.find(series);
  return found == sequences_.end() ? none : found->second;
}

std::map<std::size_t, std::vector<double>> Measurements::values_by_commit(const model::Series& series) const {
  std::map<std::size_t, std::vector<double>> values;
  for (const CommitReading& reading : sequence(series)) values[reading.commit].push_back(reading.value);
  return values;
}

double Measurements::as_change(std::size_t reference, const model::Series& series, double effect) const {
  std::vector<double> values = values_by_commit(series)[reference];
  return detect::as_change(series.metric, effect, values.empty() ? 0 : model::median(std::move(values)));
}

}  // namespace tbci::bisect
