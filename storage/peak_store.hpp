// The peaks of machines, once for each build, runner and environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/result.hpp"
#include "storage/model/peaks.hpp"

namespace tbci::storage {

class Database;

/// Where peaks were measured.
struct PeakPlace {
  std::int64_t build_id = 0;
  std::string runner;
  std::string environment;  ///< fingerprint, of a run
};

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class PeakStore {
 public:
  explicit PeakStore(Database& database) : database_(database) {}

  /// All or none. Those that the place has already stay.
  Status add(const PeakPlace& place, const std::vector<model::Peaks>& peaks, TimePoint now);
  /// The CPU's first; none where nobody measured them.
  Result<std::vector<model::Peaks>> of(const PeakPlace& place) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
