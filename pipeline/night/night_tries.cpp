#include "pipeline/night/night_tries.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tbci::pipeline {

namespace {

constexpr std::chrono::minutes first_pause{10};
constexpr std::chrono::minutes longest_pause = std::chrono::hours(6);

Result<std::optional<model::Night>> unfinished_night(SubjectContext& context, const std::string& name) {
  TBCI_ASSIGN(auto night, context.stores.nights.find(context.name(), name));
  if (night && night->finished) night.reset();
  return night;
}

// Counts a failure, and gives the night up after the last. Returns how people read of it.
Result<std::string> count_failure(SubjectContext& context, const model::Night& night, const std::string& reason) {
  storage::TryStore& store = context.stores.tries;
  TBCI_ASSIGN(model::NightTry tried, store.of_night(night.id));
  // Only a stage that was never reached before counts from the beginning: so the tries end.
  tried.tries = night.stage > tried.stage ? 1 : tried.tries + 1;
  tried.stage = std::max(tried.stage, night.stage);
  tried.reason = one_line(reason, 500);
  tried.next = context.clock.now() + pause_after(tried.tries);
  tried.mark.reset();
  const int most = context.config.service.tries;
  if (tried.tries < most) {
    TBCI_TRY(store.put(tried));
    return fmt::format("try {} of {}; the next one at {}", tried.tries, most, to_iso8601(tried.next));
  }
  const std::string note = fmt::format("given up after {} tries: {}", tried.tries, tried.reason);
  if (const Status ended = give_up_night(context, night, note); !ended) {
    TBCI_TRY(store.put(tried));  // it is given up by the next try, and what it found is reported then
    return pass_on(ended.error());
  }
  tried.given_up = context.clock.now();
  TBCI_TRY(store.put(tried));
  return fmt::format("given up after {} tries", tried.tries);
}

// Marks that a try has begun. If an earlier mark is still there, the program ended during that try.
Status begin_try(SubjectContext& context, const model::Night& night) {
  TBCI_ASSIGN(const std::string mark, context.stores.tries.progress_mark(night.id));
  TBCI_ASSIGN(model::NightTry tried, context.stores.tries.of_night(night.id));
  if (tried.mark == mark) {
    TBCI_ASSIGN(const std::string outcome,
                count_failure(context, night, "tbci ended in the middle of a try that added nothing"));
    TBCI_ASSIGN(tried, context.stores.tries.of_night(night.id));
    if (tried.given_up) return fail(ErrorKind::failed, "{} {}: {}", context.name(), night.name, outcome);
  }
  tried.mark = mark;
  return context.stores.tries.put(tried);
}

// A try that ended well, or gave way.
Status end_try(SubjectContext& context, const model::Night& night, bool finished) {
  if (finished) return context.stores.tries.remove(night.id);
  TBCI_ASSIGN(const std::string mark, context.stores.tries.progress_mark(night.id));
  TBCI_ASSIGN(model::NightTry tried, context.stores.tries.of_night(night.id));
  const bool added = tried.mark && *tried.mark != mark;
  if (added)
    tried.next = std::min(tried.next, context.clock.now());  // what an earlier failure made it wait for is over
  tried.mark.reset();
  return context.stores.tries.put(tried);
}

}  // namespace

std::chrono::minutes pause_after(int tries) {
  constexpr int most_doublings = 6;  // beyond, the longest pause holds anyway
  return std::min(first_pause * (1 << std::clamp(tries - 1, 0, most_doublings)), longest_pause);
}

bool is_due(const model::NightTry& tried, TimePoint now) {
  return is_due(tried.next, now);
}

bool is_due(TimePoint next, TimePoint now) {
  return next <= now || next > now + longest_pause;
}

Result<NightResult> try_night(SubjectContext& context, const NightChoice& choice) {
  TBCI_ASSIGN(const auto before, unfinished_night(context, choice.nightly));
  if (before) TBCI_TRY(begin_try(context, *before));
  auto result = check_night(context, choice);
  TBCI_ASSIGN(const auto night, context.stores.nights.find(context.name(), choice.nightly));
  if (!night) return result;
  const bool counts = !result && !night->finished && result.error().kind != ErrorKind::interrupted &&
                      result.error().kind != ErrorKind::damaged;
  if (!counts) {
    TBCI_TRY(end_try(context, *night, night->finished.has_value()));
    return result;
  }
  TBCI_ASSIGN(const std::string outcome, count_failure(context, *night, result.error().message));
  return fail(result.error().kind, "{} ({})", result.error().message, outcome);
}

Result<WaitingNights> waiting_nights(storage::Stores& stores, const std::string& subject, TimePoint now,
                                     bool with_verdicts) {
  WaitingNights waiting;
  TBCI_ASSIGN(const auto unfinished, stores.nights.unfinished(subject));
  for (const model::Night& night : unfinished) {
    if (model::has_verdicts(night.stage) != with_verdicts) continue;
    TBCI_ASSIGN(const model::NightTry tried, stores.tries.of_night(night.id));
    if (is_due(tried, now)) {
      waiting.due.push_back(night);
    } else {
      waiting.next = waiting.next ? std::min(*waiting.next, tried.next) : tried.next;
    }
  }
  return waiting;
}

}  // namespace tbci::pipeline
