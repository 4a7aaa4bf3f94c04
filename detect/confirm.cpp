#include "detect/confirm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "base/text.hpp"
#include "detect/leak.hpp"
#include "detect/robust_statistics.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {
namespace {

using model::Verdict;

/// A quantity that must pass its own threshold: the effect, for memory the difference in bytes as well, for leaks what
/// is certain of it.
struct Criterion {
  Estimate estimate;
  double threshold = 0;
};

struct Values {
  std::vector<double> before, after, effects, differences;
  std::vector<double> certain;  // differences of leaks
};

std::optional<Values> values_of(model::Metric metric, std::span<const Pair> pairs, const Thresholds& thresholds) {
  Values values;
  for (const Pair& pair : pairs) {
    const auto value = effect(metric, pair);
    if (!value) return std::nullopt;
    values.before.push_back(pair.before);
    values.after.push_back(pair.after);
    values.effects.push_back(*value);
    values.differences.push_back(pair.after - pair.before);
    values.certain.push_back(
        certain_difference({pair.before, pair.before_interval}, {pair.after, pair.after_interval}, thresholds));
  }
  return values;
}

struct Looks {
  int first, more, most;
};

Looks looks_of(model::Metric metric, const Thresholds& thresholds, int earlier) {
  if (metric == model::Metric::time)
    return {earlier + thresholds.first_pairs, thresholds.more_pairs, earlier + thresholds.most_pairs};
  return {earlier + thresholds.memory_first_pairs, thresholds.memory_more_pairs,
          earlier + thresholds.memory_most_pairs};
}

std::vector<Criterion> criteria_of(model::Metric metric, const Values& values, const Thresholds& thresholds) {
  std::vector<Criterion> criteria;
  criteria.push_back({trimmed_mean(values.effects, trimmed_share_of_pairs, effect_scale_floor(metric, thresholds)),
                      least_effect(metric, thresholds)});
  if (is_memory(metric)) {
    constexpr double page_bytes = 4096;
    criteria.push_back(
        {trimmed_mean(values.differences, trimmed_share_of_pairs, page_bytes), thresholds.memory_floor_bytes});
  }
  if (is_leak(metric)) {
    criteria.push_back({trimmed_mean(values.certain, trimmed_share_of_pairs, effect_scale_floor(metric, thresholds)),
                        thresholds.leak_floor_bytes});
  }
  return criteria;
}

/// The same question asked the other way round.
Criterion mirrored(Criterion criterion) {
  criterion.estimate.location = -criterion.estimate.location;
  return criterion;
}

bool above(const Criterion& criterion) {
  return criterion.estimate.location > criterion.threshold;
}

template <typename Test>
bool each(const std::vector<Criterion>& criteria, int sign, Test test) {
  return std::all_of(criteria.begin(), criteria.end(),
                     [&](const Criterion& criterion) { return test(sign > 0 ? criterion : mirrored(criterion)); });
}

/// Whether the change in the direction of `sign` is real and large enough.
bool is_change(const std::vector<Criterion>& criteria, int sign, const Thresholds& thresholds) {
  return each(criteria, sign, [&](const Criterion& criterion) {
    const double bound = lower_bound(criterion.estimate, thresholds.regression_alpha);
    return above(criterion) && bound > thresholds.lower_bound_share * criterion.threshold;
  });
}

/// The weaker question at the end of the pairs.
bool is_probable_change(const std::vector<Criterion>& criteria, int sign, const Thresholds& thresholds) {
  return each(criteria, sign, [&](const Criterion& criterion) {
    return above(criterion) && lower_bound(criterion.estimate, thresholds.regression_alpha) > 0;
  });
}

/// An improvement is not urgent: a series is clear when a regression is ruled out and the estimate shows no
/// improvement either.
bool is_clear(const std::vector<Criterion>& criteria, const Thresholds& thresholds) {
  const bool no_regression = std::any_of(criteria.begin(), criteria.end(), [&](const Criterion& criterion) {
    return upper_bound(criterion.estimate, thresholds.clear_alpha) < criterion.threshold;
  });
  return no_regression && !each(criteria, -1, above);
}

std::string reason_of(const model::Finding& finding, const Thresholds& thresholds, double leak_threshold) {
  std::string what = fmt::format("{} became {} in {} pairs", model::readable(finding.series.metric, finding.before),
                                 model::readable(finding.series.metric, finding.after), finding.pairs);
  if (finding.verdict != Verdict::inconclusive) return what;
  return fmt::format("{}: too noisy to say whether it is over {}", what,
                     is_leak(finding.series.metric) ? model::readable(finding.series.metric, leak_threshold)
                                                    : human_change(thresholds.relative));
}

Verdict verdict_of(const std::vector<Criterion>& criteria, bool last_look, const Thresholds& thresholds) {
  if (is_change(criteria, 1, thresholds)) return Verdict::regression;
  if (is_change(criteria, -1, thresholds)) return Verdict::improvement;
  if (is_clear(criteria, thresholds)) return Verdict::clear;
  if (!last_look) return Verdict::suspect;
  if (is_probable_change(criteria, 1, thresholds)) return Verdict::regression;
  if (is_probable_change(criteria, -1, thresholds)) return Verdict::improvement;
  return Verdict::inconclusive;
}

}  // namespace

Judgement confirm(const model::Series& series, std::span<const Pair> pairs, const Thresholds& thresholds, int earlier) {
  const Looks looks = looks_of(series.metric, thresholds, earlier);
  Judgement judgement;
  model::Finding& finding = judgement.finding;
  finding.series = series;
  finding.verdict = Verdict::suspect;
  finding.pairs = static_cast<int>(pairs.size());
  if (pairs.empty()) {
    judgement.pairs_wanted = std::max(1, looks.first);
    return judgement;
  }
  const auto values = values_of(series.metric, pairs, thresholds);
  if (!values) {
    finding.verdict = Verdict::inconclusive;
    finding.reason = "a pair has a value that can't be true";
    return judgement;
  }
  finding.before = model::median(values->before);
  finding.after = model::median(values->after);
  const auto criteria = criteria_of(series.metric, *values, thresholds);
  const Estimate& estimate = criteria.front().estimate;
  auto change = [&](double effect) { return as_change(series.metric, effect, finding.before); };
  finding.change = change(estimate.location);
  finding.low = change(lower_bound(estimate, thresholds.clear_alpha));
  finding.high = change(upper_bound(estimate, thresholds.clear_alpha));

  if (finding.pairs < looks.first) {
    judgement.pairs_wanted = looks.first - finding.pairs;
    return judgement;
  }
  const bool last_look = finding.pairs >= looks.most;
  finding.verdict = verdict_of(criteria, last_look, thresholds);
  if (finding.verdict == Verdict::suspect) {
    judgement.pairs_wanted = std::clamp(looks.more, 1, looks.most - finding.pairs);
    return judgement;
  }
  finding.reason = reason_of(finding, thresholds, criteria.front().threshold);
  return judgement;
}

}  // namespace tbci::detect
