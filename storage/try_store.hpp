// The tries of nights that did not come to their end yet.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/night_try.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class TryStore {
 public:
  explicit TryStore(Database& database) : database_(database) {}

  /// What is stored of the night; without a row, a NightTry with no failed try.
  Result<model::NightTry> of_night(std::int64_t night_id) const;
  /// Stores it in place of what was there. Error (machine) where there is no such night.
  Status put(const model::NightTry& tried);
  /// The night came to its end, or begins from the start.
  Status remove(std::int64_t night_id);
  /// The nights of the subject that failed in their last try, and those among its newest `nights` that were given up;
  /// the oldest by name first.
  Result<std::vector<model::TroubledNight>> troubled(const std::string& subject, int nights) const;
  /// Changes with each measurement, each build that ends and each stage that the night enters. Two equal marks:
  /// nothing was added in between.
  Result<std::string> progress_mark(std::int64_t night_id) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
