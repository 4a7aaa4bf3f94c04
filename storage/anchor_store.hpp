// The pinned build that creep is measured against, and what nights measured against it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/anchor.hpp"

namespace tbci::storage {

class Database;

/// How far back one looks.
struct LookWindow {
  int newest = 0;         ///< of all looks
  int confirmations = 0;  ///< and of those that ended with a confirmation
};

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class AnchorStore {
 public:
  explicit AnchorStore(Database& database) : database_(database) {}

  /// Stores the choice and gives it its id; `anchor.id` is not read. Without a build it removes the anchor.
  Result<model::Anchor> set(const model::Anchor& anchor);
  /// The latest choice; nullopt where there was none, or where it removed the anchor.
  Result<std::optional<model::Anchor>> current(const std::string& subject) const;
  /// All choices, the latest first.
  Result<std::vector<model::Anchor>> acts(const std::string& subject, int limit) const;

  /// Stores what a night measured, in place of an earlier look of the same night and series.
  Status keep(const model::AnchorLook& look);
  /// Of one series the last ones, by when they were made; the oldest nightly's first. The cost grows with the window
  /// alone.
  Result<std::vector<model::AnchorLook>> looks(std::int64_t anchor_id, const model::Series& series,
                                               const LookWindow& window) const;
  /// The last `limit` of one series that were made until a night (and by it), the oldest first.
  Result<std::vector<model::AnchorLook>> looks_until(std::int64_t anchor_id, const model::Series& series,
                                                     std::int64_t night_id, int limit) const;
  /// The last `limit` of one series that were made after a night, the oldest first.
  Result<std::vector<model::AnchorLook>> looks_after(std::int64_t anchor_id, const model::Series& series,
                                                     std::int64_t night_id, int limit) const;
  /// nullopt: one of the subject's last model::nights_of_silence nights with verdicts measured a case beside the
  /// current anchor, or fewer nights began after it was set.
  Result<std::optional<model::SilentAnchor>> silent(const std::string& subject) const;
  /// Of one night, ordered by series.
  Result<std::vector<model::AnchorLook>> of_night(std::int64_t anchor_id, std::int64_t night_id) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
