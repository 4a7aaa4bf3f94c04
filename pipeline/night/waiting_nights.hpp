// What a service does with the nights that wait: verdicts first, searches afterwards, and no night blocks another.
#pragma once

#include <optional>

#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// Gives the waiting nightlies their verdicts, the oldest first (see unchecked_nightlies). A night that fails is logged
/// and tried again later; the nights after it go on meanwhile. Returns when the earliest of the failed ones is due.
/// Errors: of the list of nightlies; `interrupted`; `damaged`.
Result<std::optional<TimePoint>> judge_waiting_nights(SubjectContext& context);

struct SearchedNight {
  bool worked = false;            ///< whether a night was worked on
  std::optional<TimePoint> next;  ///< when the next one is due; nullopt: none waits
};

/// Searches and reports the oldest night that has its verdicts and whose time has come. Where `context.must_pause` says
/// so, the search ends early and goes on with the next call. A failure is logged and counted, and no error.
/// Errors: `interrupted` where a stop was requested; `damaged`.
Result<SearchedNight> search_waiting_night(SubjectContext& context);

}  // namespace tbci::pipeline
