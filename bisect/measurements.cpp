#include "bisect/measurements.hpp"

#include "storage/model/measurement.hpp"

namespace tbci::bisect {
namespace {

std::string no_value(const model::Series& series) {
  return "the measurement gave no value of " + model::to_string(series);
}

std::string untrue_value(const model::Series& series) {
  return "the measurement gave a value of " + model::to_string(series) + " that can't be true";
}

std::string failure_of(const Error& error) {
  return error.message.empty() ? "the measurement failed" : error.message;
}

void take(const model::Series& series, const detect::Pair& pair, PairEvidence& evidence) {
  const auto effect = detect::effect(series.metric, pair);
  if (!effect) {
    evidence.failure = untrue_value(series);
    return;
  }
  evidence.pairs.push_back(pair);
  evidence.effects.push_back(*effect);
}

void take(const model::Series& series, double value, RunEvidence& evidence) {
  if (detect::is_usable(series.metric, value)) {
    evidence.values.push_back(value);
  } else {
    evidence.failure = untrue_value(series);
  }
}

/// An answer of the prober into the evidence of each series. An error that is no answer ends this run of the bisection.
template <typename Value, typename Asked>
Status keep(Result<std::map<model::Series, Value>> answer, const std::vector<model::Series>& series, Asked& asked) {
  if (!answer && answer.error().kind != ErrorKind::failed) return pass_on(std::move(answer).error());
  ++asked.count;
  for (const model::Series& one : series) {
    auto& evidence = asked.series[one];
    if (!evidence.failure.empty()) continue;
    if (!answer) {
      evidence.failure = failure_of(answer.error());
    } else if (const auto found = answer->find(one); found == answer->end()) {
      evidence.failure = no_value(one);
    } else {
      take(one, found->second, evidence);
    }
  }
  return {};
}

template <typename Map, typename Key>
const auto& find_or(const Map& all, const Key& key, const model::Series& series,
                    const typename decltype(Map::mapped_type::series)::mapped_type& none) {
  const auto asked = all.find(key);
  if (asked == all.end()) return none;
  const auto found = asked->second.series.find(series);
  return found == asked->second.series.end() ? none : found->second;
}

}  // namespace

Status go_on(const std::stop_token& stop) {
  if (!stop.stop_requested()) return {};
  return fail(ErrorKind::interrupted, "the bisection was stopped: run it again to go on where it was");
}

const PairEvidence& Evidence::pairs(const Comparison& comparison, const model::Series& series) const {
  static const PairEvidence none;
  return find_or(pairs_, comparison, series, none);
}

const RunEvidence& Evidence::runs(std::size_t commit, const model::Series& series) const {
  static const RunEvidence none;
  return find_or(runs_, RunKey{commit, series.measured_case()}, series, none);
}

int Evidence::pairs_asked(const Comparison& comparison) const {
  const auto found = pairs_.find(comparison);
  return found == pairs_.end() ? 0 : found->second.count;
}

Status Evidence::add_pair(const Comparison& comparison, const std::vector<model::Series>& series) {
  TBCI_TRY(go_on(surroundings_.stop));
  auto& asked = pairs_[comparison];
  const int ordinal = asked.count;
  const model::Commit& reference = surroundings_.commits[comparison.reference];
  const model::Commit& probe = surroundings_.commits[comparison.probe];
  TBCI_TRY(keep(surroundings_.prober.measure_pair(reference, probe, comparison.measured, ordinal, surroundings_.stop),
                series, asked));
  ++surroundings_.progress.pairs;
  surroundings_.progress.runs += 2;
  surroundings_.observer.pair_measured(reference, probe, comparison.measured, ordinal, surroundings_.progress);
  return {};
}

Status Evidence::add_run(std::size_t commit, const model::Case& measured, const std::vector<model::Series>& series) {
  TBCI_TRY(go_on(surroundings_.stop));
  auto& asked = runs_[{commit, measured}];
  const int ordinal = asked.count;
  const model::Commit& measured_commit = surroundings_.commits[commit];
  TBCI_TRY(
      keep(surroundings_.prober.measure_run(measured_commit, measured, ordinal, surroundings_.stop), series, asked));
  ++surroundings_.progress.runs;
  surroundings_.observer.run_measured(measured_commit, measured, ordinal, surroundings_.progress);
  return {};
}

double Evidence::as_change(std::size_t reference, const model::Series& series, double effect) const {
  std::vector<double> values = runs(reference, series).values;
  for (const auto& [comparison, asked] : pairs_) {
    if (comparison.reference != reference && comparison.probe != reference) continue;
    const auto found = asked.series.find(series);
    if (found == asked.series.end()) continue;
    for (const detect::Pair& pair : found->second.pairs)
      values.push_back(comparison.reference == reference ? pair.before : pair.after);
  }
  return detect::as_change(series.metric, effect, values.empty() ? 0 : model::median(std::move(values)));
}

}  // namespace tbci::bisect
