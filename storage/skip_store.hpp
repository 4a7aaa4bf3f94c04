// Nightlies that were not measured when it was their turn: waited for, skipped, or not there at all.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/skipped_nightly.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time. Lists have the oldest nightly first.
class SkipStore {
 public:
  explicit SkipStore(Database& database) : database_(database) {}

  /// Stores it in place of what was there of that name. The cause must be one that is kept (asserts).
  Status put(const std::string& subject, const model::SkippedNightly& skipped);
  Status remove(const std::string& subject, const std::string& name);
  Result<std::optional<model::SkippedNightly>> find(const std::string& subject, const std::string& name) const;
  /// All that is kept of the subject.
  Result<std::vector<model::SkippedNightly>> list(const std::string& subject) const;
  /// Those between two nightlies that have no verdicts: what is kept, and what their own nights say.
  Result<std::vector<model::SkippedNightly>> between(const std::string& subject, const std::string& from,
                                                     const std::string& to) const;
  /// What a person wants to know now: those that are waited for, and those newer than `since` that were skipped or
  /// that no night has begun. `since` may be empty: all.
  Result<std::vector<model::SkippedNightly>> current(const std::string& subject, const std::string& since) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
