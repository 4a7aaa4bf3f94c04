#include "pipeline/night/retest_queue.hpp"

#include <algorithm>

#include "pipeline/night/level_history.hpp"

namespace tbci::pipeline {

namespace {

detect::Question question_of(const model::Leftover& leftover) {
  detect::Question question{.series = leftover.series,
                            .old_build = leftover.old_build,
                            .pairs = {},
                            .nights_looked = leftover.nights_looked,
                            .nights_waited = leftover.nights_waited,
                            .suspected = leftover.suspected,
                            .first_suspect = leftover.first_suspect};
  for (const auto& [before, after] : leftover.pairs) question.pairs.push_back({.before = before, .after = after});
  return question;
}

// Of a leak the pairs say little without their intervals: it is measured anew.
model::Leftover leftover_of(const detect::Question& question) {
  model::Leftover leftover{.series = question.series,
                           .old_build = question.old_build,
                           .first_suspect = question.first_suspect,
                           .suspected = question.suspected,
                           .nights_looked = question.nights_looked,
                           .nights_waited = question.nights_waited,
                           .pairs = {}};
  if (detect::is_leak(question.series.metric)) return leftover;
  for (const detect::Pair& pair : question.pairs) leftover.pairs.emplace_back(pair.before, pair.after);
  return leftover;
}

}  // namespace

Result<std::vector<detect::Question>> carried_questions(SubjectContext& context, const model::Night& tonight) {
  std::vector<detect::Question> questions;
  TBCI_ASSIGN(const auto nights, nights_before(context, tonight));
  const auto last = std::find_if(nights.rbegin(), nights.rend(),
                                 [](const model::Night& night) { return night.stage == model::Stage::done; });
  if (last == nights.rend()) return questions;
  TBCI_ASSIGN(const auto leftovers, context.stores.events.left_over(last->id));
  for (const model::Leftover& leftover : leftovers) questions.push_back(question_of(leftover));
  TBCI_ASSIGN(const auto events, context.stores.events.of_night(tonight.id));
  const bool another_machine = std::any_of(events.begin(), events.end(), [](const model::Event& event) {
    return event.kind == model::EventKind::environment;
  });
  return another_machine ? detect::begun_anew(questions) : questions;
}

Status leave_over(SubjectContext& context, const model::Night& tonight, const std::vector<detect::Outcome>& outcomes) {
  std::vector<model::Leftover> leftovers;
  for (const detect::Question& question : detect::carried_on(outcomes, context.config.thresholds.base))
    leftovers.push_back(leftover_of(question));
  if (!leftovers.empty()) {
    context.progress.note(
        fmt::format("{} series could not be decided tonight: the next night looks at them again", leftovers.size()));
  }
  return context.stores.events.leave_over(tonight.id, leftovers);
}

}  // namespace tbci::pipeline
