// How likely each commit of a bisection was the culprit before anything was measured.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/result.hpp"
#include "storage/model/bisection.hpp"

namespace tbci::storage {

class Database;

/// A prior for each commit, the good end first.
using SeriesPriors = std::map<model::Series, std::vector<model::CommitPrior>>;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class PriorStore {
 public:
  explicit PriorStore(Database& database) : database_(database) {}

  /// Stores the priors in place of earlier ones. Each series must have one for each of `commits`.
  Status put(std::int64_t bisection_id, const std::vector<model::Commit>& commits, const SeriesPriors& priors);
  /// Empty where none were stored.
  Result<SeriesPriors> of(std::int64_t bisection_id) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
