// Runs, the environments that they ran in, and every measurement with all its samples.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::storage {

class Database;

/// What names a run. (subject, key) is unique.
struct RunPlan {
  std::string subject;
  std::string key;
  model::Purpose purpose{};
  std::string runner;
};

/// What one run measured of a series on one nightly: a point of the series' history.
struct HistoryPoint {
  std::int64_t build_id = 0;
  std::string nightly;  ///< name of the build
  std::int64_t run_id = 0;
  std::string key;  ///< of the run
  model::Purpose purpose{};
  std::string runner;
  std::string environment;     ///< fingerprint
  bool alternating = false;    ///< its processes took turns with others: one run may have points of both kinds
  TimePoint started{};         ///< of the run
  std::vector<double> values;  ///< one per process, in order; never empty
  /// For leaks: the interval of each value, if the worker reported one. Empty for other metrics.
  std::vector<std::optional<model::Interval>> intervals;
};

/// How one process of a case ended on a nightly.
struct NightlyOutcome {
  std::string nightly;  ///< name of the build
  model::Outcome outcome{};
  std::string message, details;
  std::optional<bool> finite;
};

/// How the cases of a build ended in the screens of one runner in one environment. Unsupported ones are in neither.
struct ScreenedCases {
  std::string runner;
  std::string environment;  ///< fingerprint
  int ran = 0;              ///< of which a process ended well
  int failed = 0;           ///< of which none did
};

/// Which nightlies of a history are read.
struct HistoryWindow {
  int newest = 0;           ///< number of nightlies with values, the newest of those below
  std::string since = {};   ///< the oldest nightly that counts; empty: from the first on
  std::string before = {};  ///< nightlies that are older than this one; empty: all
};

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class RunStore {
 public:
  explicit RunStore(Database& database) : database_(database) {}

  /// Stores the environment under its fingerprint and returns that.
  Result<std::string> remember(const model::Environment& environment, TimePoint now);
  Result<std::optional<model::Environment>> environment(const std::string& fingerprint) const;

  /// The stored run of that key (finished or not, with the environment that it began in), or else a new one. Stores the
  /// environment.
  Result<model::Run> begin(const RunPlan& plan, const model::Environment& environment, TimePoint now);
  Status finish(std::int64_t id, TimePoint now);
  Result<std::optional<model::Run>> find(const std::string& subject, const std::string& key) const;
  /// An error where there is no such id.
  Result<model::Run> get(std::int64_t id) const;
  /// The run of a key, and those that took its place when the machine changed in the middle of it (the keys of
  /// model::run_keys::on_environment); the latest begun first.
  Result<std::vector<model::Run>> runs_of_key(const std::string& subject, const std::string& key) const;
  /// The names of the runners that began runs of the subject, sorted.
  Result<std::vector<std::string>> runners(const std::string& subject) const;
  /// The names of the builds that the runner measured something of, the newest first by their sort keys.
  Result<std::vector<std::string>> measured_builds(const std::string& subject, const std::string& runner) const;
  /// The runs that measured something of that build, the latest begun first.
  Result<std::vector<model::Run>> runs_of_build(std::int64_t build_id) const;
  /// The latest begun first.
  Result<std::vector<model::Run>> runs(const std::string& subject, int limit) const;

  /// Adds a measurement. An error where the run has one in that place: measurements are never overwritten.
  Status add(const model::Place& place, const model::Measurement& measurement);
  /// Both or neither.
  Status add_pair(const model::Place& before, const model::Place& after, const model::MeasurementPair& pair);
  /// How many processes of that case on that build the run has: the next free ordinal where they were added in order.
  Result<int> count(std::int64_t run_id, std::int64_t build_id, const model::Case& measured) const;
  /// All of a run, or those of one build or case, ordered by case, then ordinal, then build (the order in which
  /// interleaved processes ran).
  Result<std::vector<model::PlacedMeasurement>> measurements(
      std::int64_t run_id, std::optional<std::int64_t> build_id = std::nullopt,
      const std::optional<model::Case>& measured = std::nullopt) const;
  /// What each process adds to the series (model::value_of), in order of ordinal, without those that add nothing.
  Result<std::vector<double>> values(std::int64_t run_id, std::int64_t build_id, const model::Series& series) const;

  /// The newest nightlies of the window that have values of the series, oldest first (base/version_order.hpp). A
  /// nightly that several runs measured (its screen, its confirmation, the next night as baseline) has a point of each:
  /// filter by purpose, runner or environment. The cost grows with the window alone.
  Result<std::vector<HistoryPoint>> series_history(const std::string& subject, const model::Series& series,
                                                   const HistoryWindow& window) const;
  /// How the processes of the case ended on the newest nightlies of the window that have any, oldest nightly first,
  /// without unsupported ones and those of runs whose key begins with `left_out`.
  Result<std::vector<NightlyOutcome>> outcome_history(const std::string& subject, const model::Case& measured,
                                                      const HistoryWindow& window, const std::string& left_out) const;
  /// How all processes of the case ended on that build and runner, without unsupported ones, the oldest first.
  Result<std::vector<NightlyOutcome>> outcomes_of(std::int64_t build_id, const model::Case& measured,
                                                  const std::string& runner) const;
  /// Ordered by runner and environment.
  Result<std::vector<ScreenedCases>> screened_cases(std::int64_t build_id) const;
  /// The cases of which a build of the subject has a measurement, in their order.
  Result<std::vector<model::Case>> measured_cases(const std::string& subject) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
