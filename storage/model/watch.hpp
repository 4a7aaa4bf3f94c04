// What detection remembers from night to night: events of the machine, the pinned anchor, what was left undecided.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "storage/model/night.hpp"

namespace tbci::model {

enum class EventKind {
  environment,  ///< the machine's facts are others than the night before
  moved,        ///< a series of a build that had not changed moved
};
std::string_view to_string(EventKind kind);
Result<EventKind> event_kind_from(std::string_view text);

/// Something that moved numbers and was no change of a build. Histories before it are no baseline for nights after it.
/// (night, runner, kind, series) is unique.
struct Event {
  std::int64_t id = 0;
  std::int64_t night_id = 0;
  std::string night;   ///< its name
  std::string runner;  ///< the machine
  EventKind kind{};
  std::optional<Series> series;  ///< nothing: the whole machine
  std::string reason;            ///< one line, for people
  TimePoint noticed{};
};

/// A build that nights are held against for good, so that creep is seen. Set by a person; the latest act counts.
struct Anchor {
  std::int64_t id = 0;
  std::string subject;
  std::optional<std::int64_t> build_id;  ///< nothing: there is no anchor any more
  std::string person;
  std::string reason;
  TimePoint set{};
};

/// Values of an old build and of a new one, of processes that ran one after the other, in the metric's unit.
using ValuePair = std::pair<double, double>;

/// A night that measured a series against the anchor.
struct AnchorLook {
  std::int64_t anchor_id = 0;
  std::int64_t night_id = 0;
  std::string night;  ///< its name
  Series series;
  std::vector<ValuePair> pairs;    ///< anchor, that night's build
  std::optional<Verdict> verdict;  ///< of a confirmation, where one was asked for
  double effect = 0;               ///< of that confirmation: a logarithm, or bytes for leaks
};

/// A series that a night could not decide. The next night looks at it again, against the same older nightly.
struct QueuedRetest {
  Series series;
  std::string old_build;      ///< name of that nightly
  std::string first_suspect;  ///< name of the nightly that was suspected first
  double suspected = 0;       ///< the largest change that a screen saw, as a fraction
  int nights_looked = 0;      ///< that measured pairs and could not say
  int nights_waited = 0;      ///< that had no time left for it, since the last that looked
  std::vector<ValuePair> pairs;
};

}  // namespace tbci::model
