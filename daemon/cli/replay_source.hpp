// The times recorded in the database, as series that a replay can draw from.
#pragma once

#include <vector>

#include "base/result.hpp"
#include "detect/selftest/replay.hpp"
#include "storage/run_store.hpp"

namespace tbci::daemon {

struct RecordedTimes {
  std::vector<detect::selftest::Recorded> series;  ///< one for each case, build and environment
  int runs = 0;                                    ///< that were read
  int too_short = 0;  ///< that have fewer than detect::selftest::least_recorded processes in a run
};

/// The times of all processes of the newest runs of each subject (screens and `tbci run`).
Result<RecordedTimes> recorded_times(const storage::RunStore& runs, const std::vector<std::string>& subjects);

}  // namespace tbci::daemon
