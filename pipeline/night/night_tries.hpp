// How often an unfinished night is tried, when again, and when it is given up. For a service, which must go on.
#pragma once

#include "pipeline/pipeline.hpp"
#include "storage/model/night_try.hpp"

namespace tbci::pipeline {

/// The pause after a failed try: 10 minutes after the first, doubling up to six hours. `tries` includes this failure
/// and is at least 1. Pure.
std::chrono::minutes pause_after(int tries);

/// The pause after a failure that could not be counted, as the database takes no writes: on a full disk, for instance.
inline constexpr std::chrono::minutes pause_after_uncounted{1};

/// Whether the next try's time has come. A time that is further away than any pause was set before the clock was set
/// back: it has come as well. Pure.
bool is_due(const model::NightTry& tried, TimePoint now);
bool is_due(TimePoint next, TimePoint now);

/// As check_night, with the tries counted in the store. An error counts as a failed try, unless it is `interrupted`; so
/// does a try in which the program was killed before it added anything. After `[service] tries` failures in one stage
/// the night is given up (give_up_night), and this returns the error that says so. Errors of a night that was never
/// begun do not count.
Result<NightResult> try_night(SubjectContext& context, const NightChoice& choice);

/// The unfinished nights of the subject whose next try has come, the oldest first; with verdicts or without.
struct WaitingNights {
  std::vector<model::Night> due;
  std::optional<TimePoint> next;  ///< when the earliest of the others is due
};
Result<WaitingNights> waiting_nights(storage::Stores& stores, const std::string& subject, TimePoint now,
                                     bool with_verdicts);

}  // namespace tbci::pipeline
