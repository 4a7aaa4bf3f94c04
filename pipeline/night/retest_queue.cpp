#include "pipeline/night/retest_queue.hpp"

#include <algorithm>

#include "pipeline/night/level_history.hpp"

namespace tbci::pipeline {

namespace {

detect::Candidate candidate_of(const model::QueuedRetest& retest) {
  detect::Candidate candidate{.series = retest.series,
                              .old_build = retest.old_build,
                              .pairs = {},
                              .nights_looked = retest.nights_looked,
                              .nights_waited = retest.nights_waited,
                              .suspected = retest.suspected,
                              .first_suspect = retest.first_suspect};
  for (const auto& [before, after] : retest.pairs) candidate.pairs.push_back({.before = before, .after = after});
  return candidate;
}

// The pairs of a leak say little without their intervals, so a leak is measured again.
model::QueuedRetest retest_of(const detect::Candidate& candidate) {
  model::QueuedRetest retest{.series = candidate.series,
                             .old_build = candidate.old_build,
                             .first_suspect = candidate.first_suspect,
                             .suspected = candidate.suspected,
                             .nights_looked = candidate.nights_looked,
                             .nights_waited = candidate.nights_waited,
                             .pairs = {}};
  if (detect::is_leak(candidate.series.metric)) return retest;
  for (const detect::Pair& pair : candidate.pairs) retest.pairs.emplace_back(pair.before, pair.after);
  return retest;
}

bool is_break(const model::QueuedRetest& retest) {
  return retest.series.metric == model::Metric::outcome;
}

Result<std::vector<model::QueuedRetest>> queued_before(SubjectContext& context, const model::Night& tonight) {
  TBCI_ASSIGN(const auto nights, nights_before(context, tonight));
  const auto last = std::find_if(nights.rbegin(), nights.rend(),
                                 [](const model::Night& night) { return model::has_verdicts(night.stage); });
  if (last == nights.rend()) return std::vector<model::QueuedRetest>{};
  return context.stores.retests.of_night(last->id);
}

}  // namespace

Result<std::vector<detect::Candidate>> queued_candidates(SubjectContext& context, const model::Night& tonight) {
  std::vector<detect::Candidate> candidates;
  TBCI_ASSIGN(const auto retests, queued_before(context, tonight));
  for (const model::QueuedRetest& retest : retests) {
    if (!is_break(retest)) candidates.push_back(candidate_of(retest));
  }
  TBCI_ASSIGN(const auto events, context.stores.events.of_night(tonight.id));
  const bool another_machine = std::any_of(events.begin(), events.end(), [](const model::Event& event) {
    return event.kind == model::EventKind::environment;
  });
  return another_machine ? detect::without_pairs(candidates) : candidates;
}

Status queue_retests(SubjectContext& context, const model::Night& tonight,
                     const std::vector<detect::TestedCandidate>& outcomes) {
  std::vector<model::QueuedRetest> retests;
  for (const detect::Candidate& candidate : detect::retests_after(outcomes, context.config.thresholds.base))
    retests.push_back(retest_of(candidate));
  if (!retests.empty()) {
    context.progress.note(
        fmt::format("tbci could not judge {} series tonight: the next night looks at them again", retests.size()));
  }
  return context.stores.retests.replace(tonight.id, retests);
}

Status keep_retests(SubjectContext& context, const model::Night& tonight) {
  TBCI_ASSIGN(const auto carried, queued_candidates(context, tonight));
  std::vector<detect::TestedCandidate> untested;
  for (const detect::Candidate& candidate : carried)
    untested.push_back({.candidate = candidate, .looked = false, .finding = {}, .measured = {}});
  return queue_retests(context, tonight, untested);
}

Result<std::vector<model::QueuedRetest>> queued_breaks(SubjectContext& context, const model::Night& tonight) {
  TBCI_ASSIGN(auto retests, queued_before(context, tonight));
  std::erase_if(retests, [](const model::QueuedRetest& retest) { return !is_break(retest); });
  return retests;
}

Status queue_breaks(SubjectContext& context, const model::Night& tonight,
                    const std::vector<model::QueuedRetest>& breaks) {
  TBCI_ASSIGN(auto retests, context.stores.retests.of_night(tonight.id));
  if (breaks.empty() && std::ranges::none_of(retests, is_break)) return {};
  std::erase_if(retests, is_break);
  retests.insert(retests.end(), breaks.begin(), breaks.end());
  return context.stores.retests.replace(tonight.id, retests);
}

}  // namespace tbci::pipeline
