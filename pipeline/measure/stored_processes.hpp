// What a runner measured of a build, in whichever runs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "storage/model/measurement.hpp"
#include "storage/stores.hpp"

namespace tbci::pipeline {

/// The processes of a case in one environment.
struct StoredProcesses {
  std::string environment;                    ///< fingerprint
  std::vector<model::Measurement> processes;  ///< that ended well and alone, the latest run's first
  std::string why;                            ///< there are none: how they ended
};

/// Of each case that the runner measured on the build: those of its latest environment that has any. Processes that
/// took turns with others are left out, as their times are other ones.
Result<std::map<model::Case, StoredProcesses>> stored_processes(const storage::Stores& stores, std::int64_t build_id,
                                                                const std::string& runner);

}  // namespace tbci::pipeline
