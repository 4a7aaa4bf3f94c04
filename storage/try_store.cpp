#include "storage/try_store.hpp"

#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

constexpr const char* try_columns = "t.night_id, t.stage, t.tries, t.next_ms, t.reason, t.mark, t.given_up_ms";

model::NightTry try_columns_of(Row& row) {
  model::NightTry tried;
  tried.night_id = row.integer();
  tried.stage = row.word(model::stage_from);
  tried.tries = row.small_integer();
  tried.next = row.time();
  tried.reason = row.text();
  tried.mark = row.optional_text();
  tried.given_up = row.optional_time();
  return tried;
}

Result<model::NightTry> read_try(Row row) {
  model::NightTry tried = try_columns_of(row);
  return row.finish(std::move(tried));
}

Result<model::TroubledNight> read_troubled(Row row) {
  model::TroubledNight troubled;
  troubled.tries = try_columns_of(row);
  troubled.night = row.text();
  return row.finish(std::move(troubled));
}

Result<std::string> read_mark(Row row) {
  std::string mark = row.text();
  return row.finish(std::move(mark));
}

}  // namespace

Result<model::NightTry> TryStore::of_night(std::int64_t night_id) const {
  return guarded(database_.path(), "read the tries of nights", [&]() -> Result<model::NightTry> {
    TBCI_ASSIGN(auto stored,
                Query(database_, fmt::format("SELECT {} FROM night_try t WHERE t.night_id = ?", try_columns))
                    .bind(night_id)
                    .first("night_try", read_try));
    if (stored) return std::move(*stored);
    model::NightTry none;
    none.night_id = night_id;
    return none;
  });
}

Status TryStore::put(const model::NightTry& tried) {
  return guarded(database_.path(), fmt::format("keep the tries of night {}", tried.night_id), [&]() -> Status {
    Query(database_,
          "INSERT OR REPLACE INTO night_try (night_id, stage, tries, next_ms, reason, mark, given_up_ms) "
          "VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind(tried.night_id, to_string(tried.stage), tried.tries, tried.next, tried.reason, tried.mark, tried.given_up)
        .execute();
    return {};
  });
}

Status TryStore::remove(std::int64_t night_id) {
  return guarded(database_.path(), fmt::format("forget the tries of night {}", night_id), [&]() -> Status {
    Query(database_, "DELETE FROM night_try WHERE night_id = ?").bind(night_id).execute();
    return {};
  });
}

Result<std::vector<model::TroubledNight>> TryStore::troubled(const std::string& subject, int nights) const {
  return guarded(database_.path(), "read the tries of nights", [&] {
    return Query(database_,
                 fmt::format(
                     "SELECT {}, n.name FROM night_try t JOIN night n ON n.id = t.night_id "
                     "WHERE n.subject = ?1 AND ((t.given_up_ms IS NULL AND t.tries > 0 AND n.finished_ms IS NULL) OR "
                     "(t.given_up_ms IS NOT NULL AND n.id IN (SELECT id FROM night WHERE subject = ?1 "
                     "ORDER BY sort_key DESC LIMIT ?2))) ORDER BY n.sort_key",
                     try_columns))
        .bind(subject, nights)
        .all("night_try", read_troubled);
  });
}

// The sum of the times, because the newest is not the last one where the clock was set back.
Result<std::string> TryStore::progress_mark(std::int64_t night_id) const {
  return guarded(database_.path(), "read how far a night is", [&] {
    return Query(database_,
                 "SELECT n.stage || ' ' || (SELECT coalesce(max(id), 0) FROM measurement) || ' ' || "
                 "(SELECT coalesce(sum(finished_ms), 0) FROM build) FROM night n WHERE n.id = ?")
        .bind(night_id)
        .only("night", night_id, read_mark);
  });
}

}  // namespace tbci::storage
