// Nightlies that a person wants on the disk, whatever its budget.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/pin.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class PinStore {
 public:
  explicit PinStore(Database& database) : database_(database) {}

  /// Replaces an earlier pin of the nightly.
  Status put(const model::Pin& pin);
  /// Whether there was one.
  Result<bool> remove(const std::string& subject, const std::string& nightly);
  Result<std::optional<model::Pin>> find(const std::string& subject, const std::string& nightly) const;
  /// All of the subject, the earliest set first.
  Result<std::vector<model::Pin>> list(const std::string& subject) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
