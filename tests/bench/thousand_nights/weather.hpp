// What happens outside of the commits: to the machine, its clock, the network and the power. Drawn before the years
// begin, so that the judge knows it.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "tests/bench/thousand_nights/history.hpp"

namespace tbci::thousand {

struct Period {
  TimePoint from, to;
};
using Periods = std::vector<Period>;  // in order
bool within(const Periods& periods, TimePoint time);

/// The machine from a time on: every time is longer by the logarithm `slower`, which adds up.
struct MachineChange {
  TimePoint at;
  double slower = 0;
  bool shows = false;  ///< its facts change as well
};

/// The clock shows the true time and `ahead`, from a true time on.
struct ClockJump {
  TimePoint at;
  std::chrono::milliseconds ahead{};
};

struct Weather {
  Periods index, git, github, disk;
  Periods ram_disk;  ///< it is full: most processes fail
  std::vector<MachineChange> machine;
  std::map<int, double> slow_nights;  ///< day -> by how much slower, of the logarithm
  std::vector<ClockJump> jumps;
  std::set<int> evictions;   ///< days at whose noon everything installed and built is removed
  double crash_share = 0;    ///< of the processes
  double slow_share = 0;     ///< of the processes that are slow by 10 to 50%
  double kills_a_night = 0;  ///< probability of a kill within each program's night's work

  /// How much slower the machine is at a time, of the logarithm.
  double slower_at(TimePoint time) const;
  /// How often its facts have changed by then.
  int facts_at(TimePoint time) const;
};

Weather draw_weather(const Size& size, const History& history);

int day_of(TimePoint time);

}  // namespace tbci::thousand
