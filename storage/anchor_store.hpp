// The pinned build that creep is measured against, and what the nights said of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/watch.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class AnchorStore {
 public:
  explicit AnchorStore(Database& database) : database_(database) {}

  /// Records the act: `anchor.id` is given by the store. Without a build it takes the anchor away.
  Result<model::Anchor> set(const model::Anchor& anchor);
  /// The latest act; nothing where there was none, or where it took the anchor away.
  Result<std::optional<model::Anchor>> current(const std::string& subject) const;
  /// All acts, the latest first.
  Result<std::vector<model::Anchor>> acts(const std::string& subject, int limit) const;

  /// Keeps what a night measured; an earlier look of the same night and series is replaced.
  Status keep(const model::AnchorLook& look);
  /// Of one series, the oldest night by name first.
  Result<std::vector<model::AnchorLook>> looks(std::int64_t anchor_id, const model::Series& series) const;
  /// Of one night, ordered by series.
  Result<std::vector<model::AnchorLook>> of_night(std::int64_t anchor_id, std::int64_t night_id) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
