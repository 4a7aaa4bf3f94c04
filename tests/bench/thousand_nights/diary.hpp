// What the simulated years show from outside: how often each night was tried, how long it took, what it cost.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/clock.hpp"

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
  int copies = 0;       ///< how often it was made
};

struct Diary {
  std::map<std::string, NightRecord> nights;  ///< by nightly
  std::map<std::string, Issue> issues;        ///< by marker
  std::vector<std::string> errors;            ///< of the service itself, outside of any night
  int kills = 0;
  int evictions = 0;
};

}  // namespace tbci::thousand
