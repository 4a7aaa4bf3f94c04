#include "storage/wish_store.hpp"

#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

Result<model::ReportWish> read_wish(Row row) {
  model::ReportWish wish;
  wish.id = row.integer();
  wish.report_id = row.integer();
  wish.source = row.text();
  wish.wish = row.word(model::wish_from);
  wish.person = row.text();
  wish.reason = row.text();
  wish.asked = row.time();
  wish.done = row.optional_time();
  return row.finish(std::move(wish));
}

Result<std::string> read_source(Row row) {
  std::string source = row.text();
  return row.finish(std::move(source));
}

}  // namespace

Result<bool> WishStore::knows(std::int64_t report_id, const std::string& source) const {
  return guarded(database_.path(), "read wishes", [&]() -> Result<bool> {
    return Query(database_, "SELECT 1 FROM report_wish WHERE report_id = ? AND source = ?")
        .bind(report_id, source)
        .next();
  });
}

Result<std::vector<std::string>> WishStore::sources(std::int64_t report_id) const {
  return guarded(database_.path(), "read wishes", [&] {
    return Query(database_, "SELECT source FROM report_wish WHERE report_id = ? ORDER BY id")
        .bind(report_id)
        .all("report_wish", read_source);
  });
}

Status WishStore::add(const model::ReportWish& wish) {
  return guarded(database_.path(), "keep the wish " + wish.source, [&]() -> Status {
    Query(database_,
          "INSERT INTO report_wish (report_id, source, wish, person, reason, asked_ms, done_ms) "
          "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
        .bind(wish.report_id, wish.source, to_string(wish.wish), wish.person, wish.reason, wish.asked, wish.done)
        .execute();
    return {};
  });
}

Status WishStore::forget(std::int64_t report_id, const std::string& source) {
  return guarded(database_.path(), "forget the wish " + source, [&]() -> Status {
    Query(database_, "DELETE FROM report_wish WHERE report_id = ? AND source = ?").bind(report_id, source).execute();
    return {};
  });
}

Result<std::vector<model::ReportWish>> WishStore::waiting(const std::string& subject) const {
  return guarded(database_.path(), "read wishes", [&] {
    return Query(database_,
                 "SELECT id, report_id, source, wish, person, reason, asked_ms, done_ms FROM report_wish WHERE "
                 "done_ms IS NULL AND report_id IN (SELECT id FROM report WHERE subject = ?) ORDER BY id")
        .bind(subject)
        .all("report_wish", read_wish);
  });
}

Status WishStore::done(std::int64_t id, TimePoint now) {
  return guarded(database_.path(), "keep that a wish is done", [&]() -> Status {
    return Query(database_, "UPDATE report_wish SET done_ms = ? WHERE id = ?")
        .bind(now, id)
        .execute_for("report_wish", id);
  });
}

Result<int> WishStore::searches(std::int64_t report_id) const {
  return guarded(database_.path(), "read wishes", [&]() -> Result<int> {
    Query query(database_, "SELECT count(*) FROM report_wish WHERE report_id = ? AND wish = 'rebisect'");
    query.bind(report_id);
    if (!query.next()) return 0;
    Row row = query.row("report_wish");
    const int count = row.small_integer();
    return row.finish(int{count});
  });
}

}  // namespace tbci::storage
