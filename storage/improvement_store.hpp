// Improvements, the tries to find their commits, and what ended regressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/improvement.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class ImprovementStore {
 public:
  explicit ImprovementStore(Database& database) : database_(database) {}

  /// The stored improvement of that night and series, or else a new one, confirmed against `old_build`.
  Result<model::Improvement> add(std::int64_t night_id, const model::Finding& finding, const std::string& old_build);
  /// Writes all but id, night and old build.
  Status update(const model::Improvement& improvement);
  /// An error where there is no such id.
  Result<model::Improvement> get(std::int64_t id) const;
  /// Ordered by id, as all lists of improvements.
  Result<std::vector<model::Improvement>> of_night(std::int64_t night_id) const;
  /// Of all nights of the subject.
  Result<std::vector<model::Improvement>> of_series(const std::string& subject, const model::Series& series) const;
  /// Of all nights of the subject, those whose commit is still to be searched.
  Result<std::vector<model::Improvement>> waiting(const std::string& subject) const;

  /// Without a row: no failed try.
  Result<model::ImprovementTry> tries_of(std::int64_t night_id) const;
  Status put_tries(const model::ImprovementTry& tried);
  Status remove_tries(std::int64_t night_id);

  /// Replaces what was known of an earlier end of the same regression.
  Status put_ending(const model::Ending& ending);
  Result<std::optional<model::Ending>> ending_of(std::int64_t regression_id) const;
  /// Of all regressions of the subject, those that no report tells yet, ordered by regression.
  Result<std::vector<model::Ending>> untold_endings(const std::string& subject) const;
  /// Those that an improvement brought, and those that were first gone on a night, ordered by regression.
  Result<std::vector<model::Ending>> endings_by(std::int64_t improvement_id) const;
  Result<std::vector<model::Ending>> endings_on(std::int64_t night_id) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
