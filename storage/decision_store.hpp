// What became of regressions, and who said so; muted series.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/decision.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class DecisionStore {
 public:
  explicit DecisionStore(Database& database) : database_(database) {}

  /// Gives the regression its new standing and keeps the decision, in one transaction. `id` is not read.
  Status decide(const model::Decision& decision);
  /// All of a regression, the oldest first.
  Result<std::vector<model::Decision>> of_regression(std::int64_t regression_id) const;

  /// What a night's pairs with the build before the regression say, in place of an earlier look of that night.
  Status keep_recovery_look(std::int64_t regression_id, const model::RecoveryLook& look);
  /// The newest looks in a row that were clear, since the regression was opened last.
  Result<int> clear_looks(std::int64_t regression_id) const;
  /// Of the newest night that looked, since the regression was opened last.
  Result<std::optional<model::Verdict>> latest_look(std::int64_t regression_id) const;
  /// The number of the newest night that measured pairs of it, since the regression was opened last.
  Result<std::optional<int>> latest_measured_look(std::int64_t regression_id) const;
  /// All looks since the regression was opened last, the newest first.
  Result<std::vector<model::RecoveryLook>> recovery_looks(std::int64_t regression_id) const;
  /// Whether that night has looked already.
  Result<bool> has_recovery_look(std::int64_t regression_id, std::int64_t night_id) const;
  /// Forgets the looks of a regression that is opened again.
  Status forget_recovery_looks(std::int64_t regression_id);

  /// Open regressions of the subject that the last `model::nights_unwatched` nights which measured the series, or more,
  /// did not look at; ordered by id. Further steps of a series go with its largest.
  Result<std::vector<model::UnwatchedRegression>> unwatched(const std::string& subject) const;

  /// Replaces an earlier mute of the series.
  Status mute(const model::Mute& mute);
  /// The mute of the series that holds at `now`.
  Result<std::optional<model::Mute>> muted(const std::string& subject, const model::Series& series,
                                           TimePoint now) const;
  /// All of the subject that hold at `now`, ordered by series.
  Result<std::vector<model::Mute>> mutes(const std::string& subject, TimePoint now) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
