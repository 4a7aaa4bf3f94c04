// The candidates that a night could not decide and queued for the next one.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.hpp"
#include "storage/model/retest.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class RetestStore {
 public:
  explicit RetestStore(Database& database) : database_(database) {}

  /// Makes these the retests that the night queued, in place of all that it queued before. Error (machine) where
  /// there is no such night.
  Status replace(std::int64_t night_id, const std::vector<model::QueuedRetest>& retests);
  /// What the night queued, ordered by series.
  Result<std::vector<model::QueuedRetest>> of_night(std::int64_t night_id) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
