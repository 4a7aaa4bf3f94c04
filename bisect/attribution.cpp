#include "bisect/attribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"

namespace tbci::bisect {

std::string short_id(const model::Commit& commit) {
  return commit.id.substr(0, 12);
}

LevelEstimate Attribution::against_good_end(const SeriesSearch& search, std::size_t at) const {
  const Posterior& posterior = search.posterior();
  const double good = posterior.levels.front().mean;
  const LevelEstimate& level = posterior.levels[search.index_of_class(at)];
  const model::Series& series = search.series();
  // Ignore a leak of a few bytes: against a good end that leaks nothing it would be an infinite change.
  const double least =
      detect::is_leak(series.metric) ? detect::least_effect(series.metric, settings_.thresholds.for_series(series)) : 0;
  const auto change = [&](double value) {
    const double effect = value - good;
    return std::abs(effect) < least ? 0 : measurements_.as_change(classes_.index_of(0), series, effect);
  };
  return {.mean = change(level.mean), .low = change(level.low), .high = change(level.high)};
}

model::Probe Attribution::probe(const SeriesSearch& search, std::size_t at) const {
  const std::size_t j = search.index_of_class(at);
  const Posterior& posterior = search.posterior();
  const bool is_bad = at != 0 && (at == classes_.last() || posterior.like_bad_end[j] > posterior.like_good_end[j]);
  const LevelEstimate level = against_good_end(search, at);
  const auto readings = static_cast<int>(search.data().classes[j].values.size());
  return {.commit = classes_.commit_of(at).id,
          .series = search.series(),
          .side = is_bad ? model::Side::bad : model::Side::good,
          .change = level.mean,
          .low = level.low,
          .high = level.high,
          .pairs = readings,
          .reason = ""};
}

model::Probe Attribution::lost_probe(const SeriesSearch& search, std::size_t at, const std::string& reason) const {
  return {.commit = classes_.commit_of(at).id,
          .series = search.series(),
          .side = model::Side::unbuildable,
          .reason = reason};
}

CommitPair Attribution::parent_pair(const SeriesSearch& search, const Bracket& bracket) const {
  return {.reference = classes_.index_of(classes_.binary_of(bracket.good)),
          .probe = classes_.index_of(classes_.binary_of(bracket.bad)),
          .measured = search.series().measured_case()};
}

double Attribution::expected_step(const SeriesSearch& search, const Bracket& bracket) const {
  const auto& levels = search.posterior().levels;
  const double step =
      levels[search.index_of_class(bracket.bad)].mean - levels[search.index_of_class(bracket.good)].mean;
  return step != 0 ? step : search.step();
}

ParentCheckResult Attribution::check_parent(const SeriesSearch& search, const Bracket& bracket) const {
  ParentCheckSettings settings;
  settings.levels = search.check_settings();
  settings.expected = expected_step(search, bracket);
  settings.least_pairs = settings_.least_check_pairs;
  settings.most_pairs = settings_.most_check_pairs;
  settings.error = 1 - settings_.certainty.culprit;
  return check_against_parent(measurements_.pairs(parent_pair(search, bracket), search.series()).effects, settings);
}

std::string Attribution::same_binary() const {
  return fmt::format("{} and {} compile the same inputs: the cause is packaging or environment, not the sources",
                     short_id(classes_.commit_of(0)), short_id(classes_.commit_of(classes_.last())));
}

std::string Attribution::no_step(const SeriesSearch& search) const {
  const LevelEstimate change = against_good_end(search, classes_.last());
  const std::size_t readings = search.data().classes.back().values.size();
  const std::string figures = fmt::format("{}, between {} and {}, {} processes each", human_change(change.mean),
                                          human_change(change.low), human_change(change.high), readings);
  const std::string ends =
      fmt::format("{} and {}", short_id(classes_.commit_of(0)), short_id(classes_.commit_of(classes_.last())));
  const double high = search.posterior().levels.back().high - search.posterior().levels.front().mean;
  // A step of half the threshold shows; to clear the sources, the readings must rule out a whole threshold.
  if (high >= detect::least_effect(search.series().metric, settings_.thresholds.for_series(search.series())))
    return fmt::format("too noisy to say whether the source builds of {} differ ({})", ends, figures);
  return fmt::format(
      "the source builds of {} do not differ enough ({}): the cause is packaging or environment, or a commit in "
      "between repaired it",
      ends, figures);
}

std::string Attribution::why_several(const SeriesSearch& search, const Bracket& bracket,
                                     const std::map<std::size_t, Built>& built) const {
  const std::size_t between = bracket.bad - bracket.good - 1;
  if (between == 0) return "";
  const std::size_t first = bracket.good + 1;
  if (search.states()[first] != ClassState::lost) return "";
  std::string reason;
  const auto found = built.find(classes_.binary_of(first));
  if (found != built.end() && !found->second.buildable) {
    reason = found->second.reason;
  } else {
    const std::size_t commit = classes_.index_of(classes_.binary_of(first));
    reason = measurements_.runs(commit, search.series()).failure;
    const CommitPair with_good_end{
        .reference = classes_.index_of(0), .probe = commit, .measured = search.series().measured_case()};
    if (reason.empty()) reason = measurements_.pairs(with_good_end, search.series()).failure;
  }
  return fmt::format("{} commit{} before {} cannot be built or measured ({}: {})", between, between == 1 ? "" : "s",
                     short_id(classes_.commit_of(bracket.bad)), short_id(classes_.commit_of(first)), one_line(reason));
}

model::FoundStep Attribution::step_at(const SeriesSearch& search, const Bracket& bracket,
                                      const std::map<std::size_t, Built>& built) const {
  model::FoundStep step;
  for (std::size_t at = bracket.good + 1; at <= bracket.bad; ++at) step.suspects.push_back(classes_.commit_of(at).id);
  step.posterior = bracket.probability;
  const CommitPair with_parent = parent_pair(search, bracket);
  const PairReadings& pairs = measurements_.pairs(with_parent, search.series());
  step.reason = why_several(search, bracket, built);
  const auto change = [&](double effect) {
    return measurements_.as_change(with_parent.reference, search.series(), effect);
  };
  LevelEstimate level;
  if (pairs.effects.empty()) {
    const double expected = expected_step(search, bracket);
    level = {.mean = expected, .low = expected, .high = expected};
    if (!pairs.failure.empty()) step.reason = "not checked against the parent: " + one_line(pairs.failure);
  } else {
    level = check_parent(search, bracket).step;
  }
  step.change = change(level.mean);
  step.low = change(level.low);
  step.high = change(level.high);
  step.repair = (level.mean > 0) != (search.step() > 0);
  return step;
}

void Attribution::fill_answer(const SeriesSearch& search, const NextStep& next,
                              const std::map<std::size_t, Built>& built, model::Answer& answer) const {
  answer.steps.clear();
  for (const Bracket& bracket : next.brackets) answer.steps.push_back(step_at(search, bracket, built));
  if (answer.steps.empty()) {
    if (search.data().classes.empty() || search.data().classes.back().values.empty()) return;
    const LevelEstimate change = against_good_end(search, classes_.last());
    answer.change = change.mean;
    answer.low = change.low;
    answer.high = change.high;
    return;
  }
  const auto largest =
      std::ranges::max_element(answer.steps, [](const model::FoundStep& one, const model::FoundStep& other) {
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

void Attribution::fill_absent(const SeriesSearch& search, const Bracket& bracket, model::Answer& answer) const {
  const CommitPair with_parent = parent_pair(search, bracket);
  const LevelEstimate level = check_parent(search, bracket).step;
  const auto change = [&](double effect) {
    return measurements_.as_change(with_parent.reference, search.series(), effect);
  };
  answer.change = change(level.mean);
  answer.low = change(level.low);
  answer.high = change(level.high);
  answer.reason =
      fmt::format("the search ended at {}, but against its parent {} it shows no step ({}, between {} and {})",
                  short_id(classes_.commit_of(bracket.bad)), short_id(classes_.commit_of(bracket.good)),
                  human_change(answer.change), human_change(answer.low), human_change(answer.high));
}

}  // namespace tbci::bisect
