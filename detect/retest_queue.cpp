#include "detect/retest_queue.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "detect/robust_statistics.hpp"

namespace tbci::detect {

namespace {

constexpr int most_waits = 30;  // nights: it stands before every later suspect of its series

double pressing(const Candidate& candidate) {
  return std::abs(candidate.suspected) * (1 + candidate.nights_waited);
}

Candidate candidate_of(const Suspect& suspect, const std::string& tonights_build) {
  return {.series = suspect.finding.series,
          .old_build = suspect.old_build,
          .pairs = {},
          .nights_looked = 0,
          .nights_waited = 0,
          .suspected = suspect.finding.change,
          .first_suspect = tonights_build,
          .screen_pairs = suspect.pairs};
}

Estimate level_of(model::Metric metric, std::span<const Pair> pairs, const Thresholds& thresholds) {
  std::vector<double> effects;
  for (const Pair& pair : pairs) {
    if (const auto value = effect(metric, pair)) effects.push_back(*value);
  }
  return effects.empty() ? Estimate{}
                         : trimmed_mean(effects, trimmed_share_of_pairs, effect_scale_floor(metric, thresholds));
}

// Whether the series surely moved between the earlier nights and tonight. Without pairs of both, nothing is sure.
bool has_two_levels(const TestedCandidate& outcome, const Thresholds& thresholds) {
  const model::Metric metric = outcome.candidate.series.metric;
  const Estimate earlier = level_of(metric, outcome.candidate.pairs, thresholds);
  const Estimate tonight = level_of(metric, outcome.measured, thresholds);
  const double alpha = thresholds.clear_alpha;
  return lower_bound(tonight, alpha) > upper_bound(earlier, alpha) ||
         upper_bound(tonight, alpha) < lower_bound(earlier, alpha);
}

bool found_change(const TestedCandidate& outcome, const ThresholdTable& thresholds) {
  return outcome.looked && model::is_change(outcome.finding.verdict) &&
         !has_two_levels(outcome, thresholds.for_series(outcome.candidate.series));
}

}  // namespace

std::vector<Candidate> candidates_of(std::span<const Suspect> suspects, std::span<const Candidate> retests,
                                     const std::string& tonights_build) {
  std::map<model::Series, Candidate> by_series;
  for (const Candidate& candidate : retests) by_series.emplace(candidate.series, candidate);
  for (const Suspect& suspect : suspects) {
    const model::Finding& finding = suspect.finding;
    if (finding.verdict != model::Verdict::suspect) continue;
    const auto known = by_series.find(finding.series);
    if (known == by_series.end()) {
      by_series[finding.series] = candidate_of(suspect, tonights_build);
      continue;
    }
    Candidate& retest = known->second;
    if (std::abs(finding.change) > std::abs(retest.suspected)) retest.suspected = finding.change;
    if (retest.old_build == suspect.old_build) retest.screen_pairs = suspect.pairs;
  }
  std::vector<Candidate> candidates;
  for (auto& [series, candidate] : by_series) candidates.push_back(std::move(candidate));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return pressing(a) > pressing(b); });
  return candidates;
}

std::vector<Candidate> hidden_suspects(std::span<const Suspect> suspects, std::span<const TestedCandidate> outcomes,
                                       const std::string& tonights_build, const ThresholdTable& thresholds) {
  std::vector<Candidate> hidden;
  for (const Suspect& suspect : suspects) {
    if (suspect.finding.verdict != model::Verdict::suspect) continue;
    const auto outcome = std::find_if(outcomes.begin(), outcomes.end(), [&](const TestedCandidate& one) {
      return one.candidate.series == suspect.finding.series;
    });
    const bool retested = outcome != outcomes.end() && outcome->candidate.old_build != suspect.old_build;
    if (!retested || found_change(*outcome, thresholds)) continue;
    hidden.push_back(candidate_of(suspect, tonights_build));
  }
  return hidden;
}

std::vector<Candidate> retests_after(std::span<const TestedCandidate> outcomes, const Thresholds& thresholds) {
  std::vector<Candidate> retests;
  for (const TestedCandidate& outcome : outcomes) {
    Candidate candidate = outcome.candidate;
    if (!outcome.looked) {
      if (++candidate.nights_waited > most_waits) continue;
      candidate.screen_pairs.clear();
      retests.push_back(std::move(candidate));
      continue;
    }
    ++candidate.nights_looked;
    candidate.nights_waited = 0;
    candidate.screen_pairs.clear();
    const bool open = outcome.finding.verdict == model::Verdict::inconclusive ||
                      outcome.finding.verdict == model::Verdict::suspect;  // cut off in the middle
    const bool is_hopeless = outcome.measured.empty() && !outcome.machine_failed;
    if (!open || is_hopeless || candidate.nights_looked >= thresholds.most_nights) continue;
    candidate.pairs.insert(candidate.pairs.end(), outcome.measured.begin(), outcome.measured.end());
    retests.push_back(std::move(candidate));
  }
  return retests;
}

std::vector<Candidate> without_pairs(std::span<const Candidate> retests) {
  std::vector<Candidate> candidates(retests.begin(), retests.end());
  for (Candidate& candidate : candidates) candidate.pairs.clear();
  return candidates;
}

}  // namespace tbci::detect
