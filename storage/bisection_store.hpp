// Bisections with their probes and answers, and the commits that these name.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::storage {

class Database;

/// What names a bisection, and what it is to search. (subject, key) is unique.
struct BisectionPlan {
  std::string subject;
  std::string key;
  std::string from;  ///< commit: good end
  std::string to;    ///< commit: bad end
  std::vector<model::Series> series;
};

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class BisectionStore {
 public:
  explicit BisectionStore(Database& database) : database_(database) {}

  /// The stored bisection of that key, finished or not, or else a new one. One that is not finished gets the series of
  /// the plan that it lacks.
  Result<model::Bisection> begin(const BisectionPlan& plan, TimePoint now);
  /// Replaces what was known of the same commit and series.
  Status put_probe(std::int64_t bisection_id, const model::Probe& probe);
  /// In the order in which they were first stored.
  Result<std::vector<model::Probe>> probes(std::int64_t bisection_id) const;
  /// Adds to the builds that the search asked for.
  Status count_build(std::int64_t bisection_id, int added = 1);
  /// Adds to the worker processes that it ran.
  Status count_measurement(std::int64_t bisection_id, int added = 1);
  /// Stores the answers in place of earlier ones and marks the bisection as finished.
  Status finish(std::int64_t bisection_id, const std::vector<model::Answer>& answers, TimePoint now);

  Result<std::optional<model::Bisection>> find(const std::string& subject, const std::string& key) const;
  /// An error where there is no such id.
  Result<model::Bisection> get(std::int64_t id) const;
  /// The latest begun first.
  Result<std::vector<model::Bisection>> list(const std::string& subject, int limit) const;

  /// Stores what the repository says of the commits, in place of what it said earlier.
  Status put_commits(const std::string& subject, const std::vector<model::Commit>& commits);
  Result<std::optional<model::Commit>> commit(const std::string& subject, const std::string& id) const;

 private:
  Status add_series(model::Bisection& bisection, const std::vector<model::Series>& planned);

  Database& database_;
};

}  // namespace tbci::storage
