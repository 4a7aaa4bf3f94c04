#include "storage/skip_store.hpp"

#include "base/assert.hpp"
#include "base/version_order.hpp"
#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

constexpr const char* skip_columns = "s.name, s.cause, s.reason, s.seen_ms, s.arrived_ms, s.given_up_ms";

Result<model::SkippedNightly> read_skipped(Row row) {
  model::SkippedNightly skipped;
  skipped.name = row.text();
  skipped.cause = row.word(model::skip_cause_from);
  skipped.reason = row.text();
  skipped.seen = row.time();
  skipped.arrived = row.optional_time();
  skipped.given_up = row.optional_time();
  return row.finish(std::move(skipped));
}

}  // namespace

Status SkipStore::put(const std::string& subject, const model::SkippedNightly& skipped) {
  TBCI_ASSERT(skipped.cause != model::SkipCause::failed && skipped.cause != model::SkipCause::unfinished);
  return guarded(database_.path(), fmt::format("keep that {} was not measured", skipped.name), [&]() -> Status {
    // Where a day lies among the versions is known only when it is first missed.
    Query(database_,
          "INSERT INTO skipped_nightly (subject, name, sort_key, cause, reason, seen_ms, arrived_ms, given_up_ms) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (subject, name) DO UPDATE SET cause = ?4, reason = ?5, "
          "seen_ms = ?6, arrived_ms = ?7, given_up_ms = ?8")
        .bind(subject, skipped.name, version_key(skipped.version.value_or(skipped.name)), to_string(skipped.cause),
              skipped.reason, skipped.seen, skipped.arrived, skipped.given_up)
        .execute();
    return {};
  });
}

Status SkipStore::remove(const std::string& subject, const std::string& name) {
  return guarded(database_.path(), fmt::format("forget that {} was not measured", name), [&]() -> Status {
    Query(database_, "DELETE FROM skipped_nightly WHERE subject = ? AND name = ?").bind(subject, name).execute();
    return {};
  });
}

Result<std::optional<model::SkippedNightly>> SkipStore::find(const std::string& subject,
                                                             const std::string& name) const {
  return guarded(database_.path(), "read skipped nightlies", [&] {
    return Query(database_,
                 fmt::format("SELECT {} FROM skipped_nightly s WHERE s.subject = ? AND s.name = ?", skip_columns))
        .bind(subject, name)
        .first("skipped_nightly", read_skipped);
  });
}

Result<std::vector<model::SkippedNightly>> SkipStore::list(const std::string& subject) const {
  return guarded(database_.path(), "read skipped nightlies", [&] {
    return Query(database_,
                 fmt::format("SELECT {} FROM skipped_nightly s WHERE s.subject = ? ORDER BY s.sort_key", skip_columns))
        .bind(subject)
        .all("skipped_nightly", read_skipped);
  });
}

// A nightly with a night of its own is what that night says of it, but for one that is gone since.
Result<std::vector<model::SkippedNightly>> SkipStore::between(const std::string& subject, const std::string& from,
                                                              const std::string& to) const {
  return guarded(database_.path(), "read skipped nightlies", [&] {
    return Query(database_,
                 fmt::format("SELECT {}, s.sort_key FROM skipped_nightly s LEFT JOIN night n ON n.subject = s.subject "
                             "AND n.name = s.name WHERE s.subject = ?1 AND s.sort_key > ?2 AND s.sort_key < ?3 AND "
                             "(n.id IS NULL OR (s.cause = 'broken' AND n.stage IN ('bisect', 'report', 'done'))) "
                             "UNION ALL SELECT n.name, CASE n.stage WHEN 'failed' THEN 'failed' ELSE 'unfinished' END, "
                             "n.note, n.started_ms, NULL, n.finished_ms, n.sort_key FROM night n WHERE n.subject = ?1 "
                             "AND n.sort_key > ?2 AND n.sort_key < ?3 AND n.stage NOT IN ('bisect', 'report', 'done') "
                             "ORDER BY 7",
                             skip_columns))
        .bind(subject, version_key(from), version_key(to))
        .all("skipped_nightly", read_skipped);
  });
}

Result<std::vector<model::SkippedNightly>> SkipStore::current(const std::string& subject,
                                                              const std::string& since) const {
  return guarded(database_.path(), "read skipped nightlies", [&] {
    return Query(database_,
                 fmt::format("SELECT {} FROM skipped_nightly s WHERE s.subject = ?1 AND s.cause IN ('incomplete', "
                             "'missing', 'yanked') AND NOT EXISTS (SELECT 1 FROM night n WHERE n.subject = s.subject "
                             "AND n.name = s.name) AND ((s.given_up_ms IS NULL AND s.arrived_ms IS NULL) OR "
                             "s.sort_key > ?2) ORDER BY s.sort_key",
                             skip_columns))
        .bind(subject, since.empty() ? std::string() : version_key(since))
        .all("skipped_nightly", read_skipped);
  });
}

}  // namespace tbci::storage
