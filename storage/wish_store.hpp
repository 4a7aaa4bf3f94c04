// What people with write access asked for on the issues of reports.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "storage/model/report.hpp"

namespace tbci::storage {

class Database;

/// Each change is committed before the call returns (with the outer transaction, inside one). The database must
/// outlive the store and is used from one thread at a time.
class WishStore {
 public:
  explicit WishStore(Database& database) : database_(database) {}

  /// Whether something that was said there is kept already.
  Result<bool> knows(std::int64_t report_id, const std::string& source) const;
  /// Where what is kept of the report was said.
  Result<std::vector<std::string>> sources(std::int64_t report_id) const;
  /// Keeps a wish; `id` is not read. Nothing happens where its source is kept already.
  Status add(const model::ReportWish& wish);
  /// Forgets what was said there: it may be said again.
  Status forget(std::int64_t report_id, const std::string& source);
  /// Those that wait for a night of the subject, the oldest first.
  Result<std::vector<model::ReportWish>> waiting(const std::string& subject) const;
  Status done(std::int64_t id, TimePoint now);
  /// How often another search for the culprit of a report was asked for.
  Result<int> searches(std::int64_t report_id) const;

 private:
  Database& database_;
};

}  // namespace tbci::storage
