#include "bisect/attribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace tbci::bisect {

std::string short_id(const model::Commit& commit) {
  return commit.id.substr(0, 12);
}

Level Answering::against_good_end(const Regression& regression, std::size_t at) const {
  const Posterior& posterior = regression.posterior();
  const double good = posterior.levels.front().mean;
  const Level& level = posterior.levels[regression.index_of_class(at)];
  const model::Series& series = regression.series();
  // A leak of a few bytes is none: of a good end that leaks nothing it would be an infinite change.
  const double least =
      detect::is_leak(series.metric) ? detect::least_effect(series.metric, settings_.thresholds.for_series(series)) : 0;
  const auto change = [&](double value) {
    const double effect = value - good;
    return std::abs(effect) < least ? 0 : evidence_.as_change(day_.index_of(0), series, effect);
  };
  return {change(level.mean), change(level.low), change(level.high)};
}

model::Probe Answering::probe(const Regression& regression, std::size_t at) const {
  const std::size_t j = regression.index_of_class(at);
  const Posterior& posterior = regression.posterior();
  const bool is_bad = at != 0 && (at == day_.last() || posterior.last[j] > posterior.first[j]);
  const Level level = against_good_end(regression, at);
  const auto readings = static_cast<int>(regression.data().classes[j].values.size());
  return {day_.commit_of(at).id,
          regression.series(),
          is_bad ? model::Side::bad : model::Side::good,
          level.mean,
          level.low,
          level.high,
          readings,
          ""};
}

model::Probe Answering::lost(const Regression& regression, std::size_t at, const std::string& reason) const {
  return {day_.commit_of(at).id, regression.series(), model::Side::unbuildable, 0, 0, 0, 0, reason};
}

Comparison Answering::beside_parent(const Regression& regression, const Gap& gap) const {
  return {day_.index_of(day_.binary_of(gap.good)), day_.index_of(day_.binary_of(gap.bad)),
          regression.series().measured_case()};
}

double Answering::expected_step(const Regression& regression, const Gap& gap) const {
  const auto& levels = regression.posterior().levels;
  const double step =
      levels[regression.index_of_class(gap.bad)].mean - levels[regression.index_of_class(gap.good)].mean;
  return step != 0 ? step : regression.step();
}

BesideParentDecision Answering::decide(const Regression& regression, const Gap& gap) const {
  BesideParentSettings settings;
  settings.levels = regression.check_settings();
  settings.expected = expected_step(regression, gap);
  settings.least_pairs = settings_.least_check_pairs;
  settings.most_pairs = settings_.most_check_pairs;
  settings.error = 1 - settings_.certainty.culprit;
  return decide_beside_parent(evidence_.pairs(beside_parent(regression, gap), regression.series()).effects, settings);
}

std::string Answering::same_binary() const {
  return fmt::format("what is compiled is the same at {} and {}: packaging or environment, not the sources",
                     short_id(day_.commit_of(0)), short_id(day_.commit_of(day_.last())));
}

std::string Answering::no_step(const Regression& regression) const {
  const Level change = against_good_end(regression, day_.last());
  const std::size_t readings = regression.data().classes.back().values.size();
  const std::string figures = fmt::format("{}, between {} and {}, {} processes each", human_change(change.mean),
                                          human_change(change.low), human_change(change.high), readings);
  const std::string ends = fmt::format("{} and {}", short_id(day_.commit_of(0)), short_id(day_.commit_of(day_.last())));
  const double high = regression.posterior().levels.back().high - regression.posterior().levels.front().mean;
  // Half of the threshold would show a step; a whole one must be ruled out before the sources are cleared.
  if (high >= detect::least_effect(regression.series().metric, settings_.thresholds.for_series(regression.series())))
    return fmt::format("too noisy to say whether the source builds of {} differ ({})", ends, figures);
  return fmt::format(
      "the source builds of {} do not differ enough ({}), so packaging or environment, or it was repaired in "
      "between",
      ends, figures);
}

std::string Answering::why_several(const Regression& regression, const Gap& gap,
                                   const std::map<std::size_t, Built>& built) const {
  const std::size_t between = gap.bad - gap.good - 1;
  if (between == 0) return "";
  const std::size_t first = gap.good + 1;
  if (regression.states()[first] != ClassState::lost) return "";
  std::string reason;
  const auto found = built.find(day_.binary_of(first));
  if (found != built.end() && !found->second.buildable) {
    reason = found->second.reason;
  } else {
    const std::size_t commit = day_.index_of(day_.binary_of(first));
    reason = evidence_.runs(commit, regression.series()).failure;
    const Comparison beside{day_.index_of(0), commit, regression.series().measured_case()};
    if (reason.empty()) reason = evidence_.pairs(beside, regression.series()).failure;
  }
  return fmt::format("{} commit{} before {} can't be built or measured ({}: {})", between, between == 1 ? "" : "s",
                     short_id(day_.commit_of(gap.bad)), short_id(day_.commit_of(first)), one_line(reason));
}

model::FoundStep Answering::step_at(const Regression& regression, const Gap& gap,
                                    const std::map<std::size_t, Built>& built) const {
  model::FoundStep step;
  for (std::size_t at = gap.good + 1; at <= gap.bad; ++at) step.suspects.push_back(day_.commit_of(at).id);
  step.posterior = gap.change;
  const Comparison beside = beside_parent(regression, gap);
  const PairEvidence& pairs = evidence_.pairs(beside, regression.series());
  step.reason = why_several(regression, gap, built);
  const auto change = [&](double effect) { return evidence_.as_change(beside.reference, regression.series(), effect); };
  Level level;
  if (pairs.effects.empty()) {
    const double expected = expected_step(regression, gap);
    level = {expected, expected, expected};
    if (!pairs.failure.empty()) step.reason = "not checked beside the parent: " + one_line(pairs.failure);
  } else {
    level = decide(regression, gap).step;
  }
  step.change = change(level.mean);
  step.low = change(level.low);
  step.high = change(level.high);
  step.repair = (level.mean > 0) != (regression.step() > 0);
  return step;
}

void Answering::give(const Regression& regression, const Need& need, const std::map<std::size_t, Built>& built,
                     model::Answer& answer) const {
  answer.steps.clear();
  for (const Gap& gap : need.gaps) answer.steps.push_back(step_at(regression, gap, built));
  if (answer.steps.empty()) {
    if (regression.data().classes.empty() || regression.data().classes.back().values.empty()) return;
    const Level change = against_good_end(regression, day_.last());
    answer.change = change.mean;
    answer.low = change.low;
    answer.high = change.high;
    return;
  }
  const auto largest =
      std::max_element(answer.steps.begin(), answer.steps.end(), [](const auto& one, const auto& other) {
        if (one.repair != other.repair) return one.repair;
        return std::abs(one.change) < std::abs(other.change);
      });
  answer.suspects = largest->suspects;
  answer.posterior = largest->posterior;
  answer.change = largest->change;
  answer.low = largest->low;
  answer.high = largest->high;
  answer.reason = largest->reason;
}

void Answering::not_beside_parent(const Regression& regression, const Gap& gap, model::Answer& answer) const {
  const Comparison beside = beside_parent(regression, gap);
  const Level level = decide(regression, gap).step;
  const auto change = [&](double effect) { return evidence_.as_change(beside.reference, regression.series(), effect); };
  answer.change = change(level.mean);
  answer.low = change(level.low);
  answer.high = change(level.high);
  answer.reason =
      fmt::format("the search ended at {}, but beside its parent {} it shows no step ({}, between {} and {})",
                  short_id(day_.commit_of(gap.bad)), short_id(day_.commit_of(gap.good)), human_change(answer.change),
                  human_change(answer.low), human_change(answer.high));
}

}  // namespace tbci::bisect
