// Changes of the numbers that no change of a build explains.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "storage/model/words.hpp"

namespace tbci::model {

enum class EventKind {
  environment,  ///< the machine's facts differ from those of the night before
  moved,        ///< a series of a build that had not changed moved
};
std::string_view to_string(EventKind kind);
Result<EventKind> event_kind_from(std::string_view text);

/// A change of the numbers that no change of a build explains. What was measured before it is not a baseline for the
/// nights after it.
/// (night, runner, kind, series) is unique.
struct Event {
  std::int64_t id = 0;
  std::int64_t night_id = 0;
  std::string night;   ///< its name
  std::string runner;  ///< the machine
  EventKind kind{};
  std::optional<Series> series;  ///< nullopt: the whole machine
  std::string reason;            ///< one line, for people
  TimePoint noticed{};
};

}  // namespace tbci::model
