#include "bisect/evidence.hpp"

#include <algorithm>
#include <iterator>

#include "storage/model/measurement.hpp"

namespace tbci::bisect {

Status go_on(const std::stop_token& stop) {
  if (!stop.stop_requested()) return {};
  return fail(ErrorKind::interrupted, "the bisection was stopped: run it again to go on where it was");
}

const SeriesEvidence& Evidence::of(const Comparison& comparison, const model::Series& series) {
  return all_[comparison].series[series];
}

Status Evidence::gather(const Comparison& comparison, const std::vector<model::Series>& series, const Enough& enough) {
  Pairs& pairs = all_[comparison];
  while (true) {
    std::vector<model::Series> wanting;
    std::copy_if(series.begin(), series.end(), std::back_inserter(wanting), [&](const model::Series& one) {
      SeriesEvidence& evidence = pairs.series[one];
      if (evidence.failure.empty()) evidence.failure = pairs.failure;
      return evidence.failure.empty() && !enough(one, evidence.effects);
    });
    if (wanting.empty()) return {};
    TBCI_TRY(go_on(surroundings_.stop));
    TBCI_TRY(measure_one(comparison, wanting, pairs));
  }
}

Status Evidence::measure_one(const Comparison& comparison, const std::vector<model::Series>& series, Pairs& pairs) {
  const model::Commit& reference = surroundings_.commits[comparison.reference];
  const model::Commit& probe = surroundings_.commits[comparison.probe];
  auto answer =
      surroundings_.prober.measure_pair(reference, probe, comparison.measured, pairs.count, surroundings_.stop);
  if (!answer && answer.error().kind != ErrorKind::failed) return pass_on(std::move(answer).error());
  ++surroundings_.progress.pairs;
  surroundings_.observer.pair_measured(reference, probe, comparison.measured, pairs.count, surroundings_.progress);
  ++pairs.count;
  if (!answer) {
    pairs.failure = answer.error().message.empty() ? "the measurement failed" : answer.error().message;
    return {};
  }
  for (const model::Series& one : series) {
    SeriesEvidence& evidence = pairs.series[one];
    const auto found = answer->find(one);
    if (found == answer->end()) {
      evidence.failure = "the measurement gave no value of " + model::to_string(one);
      continue;
    }
    const auto effect = detect::effect(one.metric, found->second);
    if (!effect) {
      evidence.failure = "the measurement gave a value of " + model::to_string(one) + " that can't be true";
      continue;
    }
    evidence.pairs.push_back(found->second);
    evidence.effects.push_back(*effect);
  }
  return {};
}

double Evidence::as_change(const Comparison& comparison, const model::Series& series, double effect) {
  std::vector<double> before;
  for (const detect::Pair& pair : of(comparison, series).pairs) before.push_back(pair.before);
  return detect::as_change(series.metric, effect, before.empty() ? 0 : model::median(std::move(before)));
}

}  // namespace tbci::bisect
