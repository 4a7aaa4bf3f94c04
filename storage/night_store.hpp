// Nights, their findings and their regressions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/night.hpp"

namespace tbci::storage {

class Database;

/// What names a night. (subject, name) is unique.
struct NightPlan {
  std::string subject;
  std::string name;
  std::string baseline;
};

/// Which look at a series gave a finding.
enum class Phase { screen, confirm };

/// What a night found of one series.
struct SeriesFinding {
  std::string night;  ///< its name
  Phase phase{};
  model::Finding finding;
};

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class NightStore {
 public:
  explicit NightStore(Database& database) : database_(database) {}

  /// The stored night of that name, at any stage, or else a new one at `install`.
  Result<model::Night> begin(const NightPlan& plan, TimePoint now);
  /// Compares the night with another baseline.
  Status compare_with(std::int64_t id, const std::string& baseline);
  /// Enters a stage. An empty note leaves the stored one as it is.
  Status enter(std::int64_t id, model::Stage stage, const std::string& note = "");
  /// `end` must be done or failed (asserts). The note replaces the stored one.
  Status finish(std::int64_t id, model::Stage end, const std::string& note, TimePoint now);
  Result<std::optional<model::Night>> find(const std::string& subject, const std::string& name) const;
  /// An error where there is no such id.
  Result<model::Night> get(std::int64_t id) const;
  /// Of the nightly that it checks.
  Result<std::string> name_of(std::int64_t id) const;
  /// The newest nightly's, finished or not. Which nightly is newer is what base/version_order.hpp says, here and below.
  Result<std::optional<model::Night>> latest(const std::string& subject) const;
  /// The newest nightly's first.
  Result<std::vector<model::Night>> list(const std::string& subject, int limit) const;
  /// The last `limit` nights of older nightlies than `name`, the oldest first.
  Result<std::vector<model::Night>> before(const std::string& subject, const std::string& name, int limit) const;
  /// The number of the first night that was begun after a time; nullopt: there is none.
  Result<std::optional<int>> first_number_after(const std::string& subject, TimePoint time) const;
  /// Those neither done nor failed, the oldest nightly's first.
  Result<std::vector<model::Night>> unfinished(const std::string& subject) const;

  /// Replaces an earlier finding of the same night, phase and series.
  Status put_finding(std::int64_t night_id, Phase phase, const model::Finding& finding);
  /// Ordered by series; without a phase, those of the screen first.
  Result<std::vector<model::Finding>> findings(std::int64_t night_id, std::optional<Phase> phase = std::nullopt) const;

  /// What the newest `limit` nights found of the series, the oldest first; of one night the screen's first.
  Result<std::vector<SeriesFinding>> series_findings(const std::string& subject, const model::Series& series,
                                                     int limit) const;

  /// The stored regression of that night, series and step, or else a new one, confirmed against `old_build`.
  Result<model::Regression> add_regression(std::int64_t night_id, const model::Finding& finding,
                                           const std::string& old_build = "", int step = 0);
  /// Writes all but id, night, old build, step and standing (see DecisionStore).
  Status update(const model::Regression& regression);
  /// Ordered by id, as all lists of regressions.
  Result<std::vector<model::Regression>> regressions(std::int64_t night_id) const;
  /// Those that share a report.
  Result<std::vector<model::Regression>> regressions_of_report(std::int64_t report_id) const;
  /// Of all nights of the subject, the newest first.
  Result<std::vector<model::Regression>> latest_regressions(const std::string& subject, int limit) const;
  /// Of all nights of the subject, those about which somebody still has to do something (model::is_open).
  Result<std::vector<model::Regression>> open_regressions(const std::string& subject) const;
  /// The same of one series.
  Result<std::vector<model::Regression>> open_regressions(const std::string& subject,
                                                          const model::Series& series) const;
  /// Of all nights of the subject, in any state.
  Result<std::vector<model::Regression>> series_regressions(const std::string& subject,
                                                            const model::Series& series) const;
  /// Those of them that a person accepted.
  Result<std::vector<model::Regression>> accepted_regressions(const std::string& subject,
                                                              const model::Series& series) const;
  /// An error where there is no such id.
  Result<model::Regression> regression(std::int64_t id) const;

 private:
  // `standing`: a condition of SQL, with a space at its end.
  Result<std::vector<model::Regression>> regressions_of_series(const std::string& subject, const model::Series& series,
                                                               const std::string& standing) const;

  Database& database_;
};

}  // namespace tbci::storage
