// Profiles: where the time of an iteration goes, for each profiled process.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.hpp"
#include "storage/model/profile.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class ProfileStore {
 public:
  explicit ProfileStore(Database& database) : database_(database) {}

  /// Adds the profile of one process. An error where the run has one in that place, or where an operator occurs twice.
  Status add(const model::Place& place, const model::OperatorProfile& profile);
  /// Those of a case on a build in a run, ordered by ordinal; in each, the most expensive operator first.
  Result<std::vector<model::PlacedProfile>> profiles(std::int64_t run_id, std::int64_t build_id,
                                                     const model::Case& measured) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
