#include "bisect/attribution.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/text.hpp"
#include "bisect/lost_stretch.hpp"

namespace tbci::bisect {

std::string short_id(const model::Commit& commit) {
  return commit.id.substr(0, 12);
}

LevelEstimate Attribution::against_good_end(const SeriesSearch& search, std::size_t at) const {
  const LevelEstimate level = effect_between(search, 0, at);
  const model::Series& series = search.series();
  // Ignore a leak of a few bytes: against a good end that leaks nothing it would be an infinite change.
  const double least =
      detect::is_leak(series.metric) ? detect::least_effect(series.metric, settings_.thresholds.for_series(series)) : 0;
  const auto change = [&](double effect) {
    return std::abs(effect) < least ? 0 : measurements_.as_change(classes_.index_of(0), series, effect);
  };
  return {.mean = change(level.mean), .low = change(level.low), .high = change(level.high)};
}

LevelEstimate Attribution::effect_between(const SeriesSearch& search, std::size_t from, std::size_t at) const {
  if (from == at) return {};
  const LevelData& data = search.data();
  const Readings& before = data.classes[search.index_of_class(from)];
  const Readings& after = data.classes[search.index_of_class(at)];
  if (search.is_exact()) {
    const double effect = after.values.front() - before.values.front();
    return {.mean = effect, .low = effect, .high = effect};
  }
  ChangeNoise noise = search.change_noise();
  if (data.against_good_end) {  // the values are effects of pairs, 0 for the files of the good end
    if (classes_.binary_of(from) == 0 && classes_.binary_of(at) == 0) return {};
    if (classes_.binary_of(from) == 0)
      return estimate_change({.effects = after.values, .before = {}, .after = {}}, noise);
    if (classes_.binary_of(at) == 0) {
      const LevelEstimate back = estimate_change({.effects = before.values, .before = {}, .after = {}}, noise);
      return {.mean = -back.mean, .low = -back.high, .high = -back.low};
    }
    noise.typical *= std::numbers::sqrt2;
  }
  if (before.values.empty() || after.values.empty()) return {};
  return estimate_change({.effects = {}, .before = before.values, .after = after.values}, noise);
}

LevelEstimate Attribution::effect_of(const SeriesSearch& search, const Bracket& bracket) const {
  const PairReadings& pairs = measurements_.pairs(parent_pair(search, bracket), search.series());
  if (search.is_exact() || pairs.effects.empty()) return effect_between(search, bracket.good, bracket.bad);
  return estimate_change({.effects = pairs.effects, .before = {}, .after = {}}, search.change_noise());
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

ParentCheck Attribution::check_parent(const SeriesSearch& search, const Bracket& bracket) const {
  ParentCheckSettings settings;
  settings.levels = search.check_settings();
  settings.expected = expected_step(search, bracket);
  settings.least_pairs = settings_.least_check_pairs;
  settings.most_pairs = settings_.most_check_pairs;
  settings.error = 1 - settings_.certainty.culprit;
  return check_against_parent(measurements_.pairs(parent_pair(search, bracket), search.series()).effects, settings);
}

std::string Attribution::same_binary() const {
  return same_inputs_text(classes_.commits());
}

std::string Attribution::no_step(const SeriesSearch& search) const {
  const LevelEstimate change = against_good_end(search, classes_.last());
  const std::size_t readings = search.data().classes.back().values.size();
  const std::string figures = fmt::format("{}, between {} and {}, {} processes each", human_change(change.mean),
                                          human_change(change.low), human_change(change.high), readings);
  const std::string ends =
      fmt::format("{} and {}", short_id(classes_.commit_of(0)), short_id(classes_.commit_of(classes_.last())));
  if (search.posterior().none > 0 && search.is_exact() && search.step() != 0)
    return fmt::format("{} differ by {}, but no single commit between them changed enough to count as a step", ends,
                       human_change(change.mean));
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
    reason = measurements_.processes(commit, search.series()).failure;
    const CommitPair with_good_end{
        .reference = classes_.index_of(0), .probe = commit, .measured = search.series().measured_case()};
    if (reason.empty()) reason = measurements_.pairs(with_good_end, search.series()).failure;
  }
  return lost_text(search.states(), {.good = bracket.good,
                                     .bad = bracket.bad,
                                     .bad_id = short_id(classes_.commit_of(bracket.bad)),
                                     .first_lost_id = short_id(classes_.commit_of(first)),
                                     .reason = one_line(reason)});
}

model::FoundStep Attribution::step_at(const SeriesSearch& search, const Bracket& bracket,
                                      const std::map<std::size_t, Built>& built) const {
  model::FoundStep step;
  for (std::size_t at = bracket.good + 1; at <= bracket.bad; ++at) step.suspects.push_back(classes_.commit_of(at).id);
  step.posterior = bracket.probability;
  const CommitPair with_parent = parent_pair(search, bracket);
  step.reason = why_several(search, bracket, built);
  const auto change = [&](double effect) {
    return measurements_.as_change(with_parent.reference, search.series(), effect);
  };
  const LevelEstimate level = effect_of(search, bracket);
  step.change = change(level.mean);
  step.low = change(level.low);
  step.high = change(level.high);
  step.repair = (level.mean > 0) != (search.step() > 0);
  return step;
}

void Attribution::fill_answer(const SeriesSearch& search, const NextAction& next,
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
  model::lead_with(answer, *largest);
}

void Attribution::fill_change(const SeriesSearch& search, const Bracket& bracket, model::Answer& answer) const {
  const LevelEstimate level = effect_of(search, bracket);
  const auto change = [&](double effect) {
    return measurements_.as_change(parent_pair(search, bracket).reference, search.series(), effect);
  };
  answer.change = change(level.mean);
  answer.low = change(level.low);
  answer.high = change(level.high);
}

void Attribution::fill_unchecked(const SeriesSearch& search, const Bracket& bracket, model::Answer& answer) const {
  fill_change(search, bracket, answer);
  answer.reason = fmt::format("the search ended at {}, but it cannot be measured beside its parent {}: {}",
                              short_id(classes_.commit_of(bracket.bad)), short_id(classes_.commit_of(bracket.good)),
                              one_line(measurements_.pairs(parent_pair(search, bracket), search.series()).failure));
}

void Attribution::fill_absent(const SeriesSearch& search, const Bracket& bracket, model::Answer& answer) const {
  fill_change(search, bracket, answer);
  answer.reason =
      fmt::format("the search ended at {}, but compared with its parent {} it shows no step ({}, between {} and {})",
                  short_id(classes_.commit_of(bracket.bad)), short_id(classes_.commit_of(bracket.good)),
                  human_change(answer.change), human_change(answer.low), human_change(answer.high));
}

}  // namespace tbci::bisect
