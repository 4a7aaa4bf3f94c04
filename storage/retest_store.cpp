#include "storage/retest_store.hpp"

#include "storage/exception_guard.hpp"
#include "storage/pairs_json.hpp"
#include "storage/query.hpp"
#include "storage/series_columns.hpp"

namespace tbci::storage {

namespace {

Result<model::QueuedRetest> read_retest(Row row) {
  model::QueuedRetest retest;
  retest.series = row.word(model::series_from);
  retest.old_build = row.text();
  retest.first_suspect = row.text();
  retest.suspected = row.real();
  retest.nights_looked = row.small_integer();
  retest.nights_waited = row.small_integer();
  retest.pairs = row.take(pairs_from_json(row.text()));
  return row.finish(std::move(retest));
}

}  // namespace

Status RetestStore::replace(std::int64_t night_id, const std::vector<model::QueuedRetest>& retests) {
  return database_.transaction([&]() -> Status {
    return guarded(database_.path(), fmt::format("keep the retests of night {}", night_id), [&]() -> Status {
      Query(database_, "DELETE FROM retest WHERE night_id = ?").bind(night_id).execute();
      for (const model::QueuedRetest& retest : retests) {
        TBCI_ASSIGN(const std::string series, series_column(retest.series));
        Query(database_,
              "INSERT INTO retest (night_id, series, old_build, first_suspect, suspected, nights_looked, "
              "nights_waited, pairs) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
            .bind(night_id, series, retest.old_build, retest.first_suspect, retest.suspected, retest.nights_looked,
                  retest.nights_waited, to_json(retest.pairs))
            .execute();
      }
      return {};
    });
  });
}

Result<std::vector<model::QueuedRetest>> RetestStore::of_night(std::int64_t night_id) const {
  return guarded(database_.path(), "read the retests of a night", [&] {
    return Query(database_,
                 "SELECT series, old_build, first_suspect, suspected, nights_looked, nights_waited, pairs "
                 "FROM retest WHERE night_id = ? ORDER BY series")
        .bind(night_id)
        .all("retest", read_retest);
  });
}

}  // namespace tbci::storage
