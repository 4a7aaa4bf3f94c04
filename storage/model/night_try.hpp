// The tries of a night that did not come to its end yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/clock.hpp"
#include "storage/model/night.hpp"

namespace tbci::model {

/// The failed tries of a night, and when the next one is due.
struct NightTry {
  std::int64_t night_id = 0;
  Stage stage = Stage::install;  ///< the furthest in which a try failed
  int tries = 0;                 ///< that failed since the night first reached that stage
  TimePoint next{};
  std::string reason = {};  ///< one line: why the last one failed
  /// What the store held when the running try began (TryStore::progress_mark). It stays behind where the program was
  /// killed. nullopt: no try runs.
  std::optional<std::string> mark = {};
  std::optional<TimePoint> given_up = {};  ///< no further try follows
};

/// A night in trouble, for people.
struct TroubledNight {
  std::string night;
  NightTry tries;
};

}  // namespace tbci::model
