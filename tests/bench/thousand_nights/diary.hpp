// What the simulated years show from outside: how often each night was tried, how long it took, what it cost.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/words.hpp"

namespace tbci::thousand {

struct NightRecord {
  int tries = 0;
  TimePoint begun{}, ended{};  ///< true times of the first try, and of the end of the last
  bool over = false;           ///< it is done or failed
  std::string last_error;
  double seconds = 0;  ///< of the processor, that all its tries took
  std::int64_t processes = 0, builds = 0, installs = 0;
};

/// A report as it arrived.
struct Issue {
  std::string title, body;
  TimePoint arrived{};  ///< true time
  int revision = 0;     ///< of the report, that arrived last
};

/// What a person decided of a series.
struct PersonsWord {
  model::Series series;
  std::string nightly;        ///< of the regression that was accepted; empty: the series was muted
  bool anchor = false;        ///< creep is counted from that nightly on
  TimePoint from{}, until{};  ///< of a mute, as the clock showed it
};

struct Diary {
  std::map<std::string, NightRecord> nights;  ///< by nightly
  std::map<std::string, Issue> issues;        ///< by marker
  std::vector<PersonsWord> words;
  std::vector<std::string> errors;  ///< of the service itself, outside of any night
  int kills = 0;
  int evictions = 0;
};

}  // namespace tbci::thousand
