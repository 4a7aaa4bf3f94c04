#include "pipeline/night/waiting_nights.hpp"

#include <algorithm>

#include "base/log.hpp"
#include "base/text.hpp"
#include "pipeline/night/night_selection.hpp"
#include "pipeline/night/night_tries.hpp"

namespace tbci::pipeline {

namespace {

// Whether a service can do nothing more after such an error.
bool ends_the_work(const Error& error) {
  return error.kind == ErrorKind::interrupted || error.kind == ErrorKind::damaged;
}

Result<WaitingNights> waiting_of(SubjectContext& context, bool with_verdicts) {
  return waiting_nights(context.stores, context.name(), context.clock.now(), with_verdicts);
}

// Whether the night waits for its verdicts, and its time has come.
Result<bool> wants_verdicts(SubjectContext& context, const std::string& name) {
  TBCI_ASSIGN(const auto night, context.stores.nights.find(context.name(), name));
  if (!night) return true;
  if (night->finished || model::has_verdicts(night->stage)) return false;
  TBCI_ASSIGN(const model::NightTry tried, context.stores.tries.of_night(night->id));
  return is_due(tried, context.clock.now());
}

}  // namespace

Result<std::optional<TimePoint>> judge_waiting_nights(SubjectContext& context) {
  TBCI_ASSIGN(const auto names, unchecked_nightlies(context));
  for (const std::string& name : names) {
    TBCI_ASSIGN(const bool wanted, wants_verdicts(context, name));
    if (!wanted) continue;
    const auto result = try_night(context, {.nightly = name, .verdicts_only = true});
    if (!result && ends_the_work(result.error())) return pass_on(result.error());
    if (!result) log::error("{}", result.error().message);
    if (result) log::info("{} {}: {}", context.name(), name, counted(result->regressions.size(), "regression"));
  }
  TBCI_ASSIGN(const WaitingNights left, waiting_of(context, false));
  return left.next;
}

Result<SearchedNight> search_waiting_night(SubjectContext& context) {
  TBCI_ASSIGN(const WaitingNights before, waiting_of(context, true));
  if (before.due.empty()) return SearchedNight{.worked = false, .next = before.next};
  const std::string name = before.due.front().name;
  const auto result = try_night(context, {.nightly = name});
  const bool gave_way = !result && result.error().kind == ErrorKind::interrupted && !context.stop.stop_requested();
  if (!result && !gave_way && ends_the_work(result.error())) return pass_on(result.error());
  if (gave_way) log::info("{} {}: {}", context.name(), name, result.error().message);
  if (!result && !gave_way) log::error("{}", result.error().message);
  TBCI_ASSIGN(const WaitingNights after, waiting_of(context, true));
  if (after.due.empty()) return SearchedNight{.worked = true, .next = after.next};
  const bool still_due = std::ranges::any_of(after.due, [&](const model::Night& one) { return one.name == name; });
  const bool uncounted = !result && !gave_way && still_due;
  const TimePoint now = context.clock.now();
  return SearchedNight{.worked = true, .next = uncounted ? now + pause_after_uncounted : now};
}

}  // namespace tbci::pipeline
