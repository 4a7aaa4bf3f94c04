#include "storage/report_store.hpp"

#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

const std::string select_reports =
    "SELECT id, subject, marker, title, body, labels, created_ms, revision, culprits, open, rest, pull_request "
    "FROM report ";
const std::string select_deliveries =
    "SELECT id, report_id, channel, state, attempts, next_attempt_ms, reference, error, revision, "
    "attempted_ms FROM delivery ";

Result<model::Report> read_report(Row row) {
  model::Report report;
  report.id = row.integer();
  report.subject = row.text();
  report.marker = row.text();
  report.title = row.text();
  report.body = row.text();
  report.labels = row.strings();
  report.created = row.time();
  report.revision = row.small_integer();
  report.culprits = row.strings();
  report.open = row.small_integer() != 0;
  report.rest = row.text();
  report.pull_request = row.text();
  return row.finish(std::move(report));
}

Result<model::Delivery> read_delivery(Row row) {
  model::Delivery delivery;
  delivery.id = row.integer();
  delivery.report_id = row.integer();
  delivery.channel = row.text();
  delivery.state = row.word(model::delivery_state_from);
  delivery.attempts = row.small_integer();
  delivery.next_attempt = row.time();
  delivery.reference = row.text();
  delivery.error = row.text();
  delivery.revision = row.small_integer();
  delivery.attempted = row.optional_time();
  return row.finish(std::move(delivery));
}

void insert_deliveries(Database& database, std::int64_t report_id, const std::vector<std::string>& channels,
                       TimePoint now) {
  for (const std::string& channel : channels) {
    Query(database, "INSERT INTO delivery (report_id, channel, state, next_attempt_ms) VALUES (?, ?, 'pending', ?)")
        .bind(report_id, channel, now)
        .execute();
  }
}

/// The report with its deliveries.
void insert(Database& database, const model::Report& report, const std::vector<std::string>& channels, TimePoint now) {
  Query(database,
        "INSERT INTO report (subject, marker, title, body, labels, created_ms, culprits, open, rest, pull_request) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .bind(report.subject, report.marker, report.title, report.body, report.labels, now, report.culprits,
            report.open ? 1 : 0, report.rest, report.pull_request)
      .execute();
  insert_deliveries(database, last_id(database), channels, now);
}

Result<model::ReportNote> read_note(Row row) {
  model::ReportNote note;
  note.id = row.integer();
  note.report_id = row.integer();
  note.revision = row.small_integer();
  note.text = row.text();
  note.made = row.time();
  return row.finish(std::move(note));
}

bool is_alike(const model::Report& a, const model::Report& b) {
  return a.title == b.title && a.body == b.body && a.labels == b.labels && a.culprits == b.culprits &&
         a.open == b.open && a.rest == b.rest && a.pull_request == b.pull_request;
}

/// The next revision of a report, and its deliveries due again: refused ones too, for it is another text.
void revise(Database& database, const model::Report& known, const model::Report& report,
            const std::vector<std::string>& notes, TimePoint now) {
  Query(database,
        "UPDATE report SET title = ?, body = ?, labels = ?, culprits = ?, open = ?, rest = ?, pull_request = ?, "
        "revision = ? WHERE id = ?")
      .bind(report.title, report.body, report.labels, report.culprits, report.open ? 1 : 0, report.rest,
            report.pull_request, known.revision + 1, known.id)
      .execute();
  for (const std::string& note : notes) {
    Query(database, "INSERT INTO report_note (report_id, revision, text, made_ms) VALUES (?, ?, ?, ?)")
        .bind(known.id, known.revision + 1, note, now)
        .execute();
  }
  Query(database,
        "UPDATE delivery SET state = 'pending', attempts = 0, next_attempt_ms = ?, error = '' WHERE report_id = ?")
      .bind(now, known.id)
      .execute();
}

}  // namespace

Result<model::Report> ReportStore::file(const model::Report& report, const std::vector<std::string>& channels,
                                        TimePoint now, const std::vector<std::string>& notes) {
  model::Report filed;
  TBCI_TRY(database_.transaction([&]() -> Status {
    return guarded(database_.path(), fmt::format("file the report {}", report.marker), [&]() -> Status {
      TBCI_ASSIGN(const auto known, find(report.subject, report.marker));
      if (!known) insert(database_, report, channels, now);
      const bool is_new = known && (!is_alike(*known, report) || !notes.empty());
      if (is_new) {
        revise(database_, *known, report, notes, now);
        TBCI_ASSIGN(const auto deliveries, this->deliveries(known->id));
        if (deliveries.empty()) insert_deliveries(database_, known->id, channels, now);
      }
      TBCI_ASSIGN(auto found, find(report.subject, report.marker));
      filed = std::move(*found);
      return {};
    });
  }));
  return filed;
}

Result<std::optional<model::Report>> ReportStore::find(const std::string& subject, const std::string& marker) const {
  return guarded(database_.path(), "read reports", [&] {
    return Query(database_, select_reports + "WHERE subject = ? AND marker = ?")
        .bind(subject, marker)
        .first("report", read_report);
  });
}

Result<model::Report> ReportStore::get(std::int64_t id) const {
  return guarded(database_.path(), "read reports", [&] {
    return Query(database_, select_reports + "WHERE id = ?").bind(id).only("report", id, read_report);
  });
}

Result<std::vector<model::Report>> ReportStore::with_culprits(const std::string& subject) const {
  return guarded(database_.path(), "read reports", [&] {
    return Query(database_, select_reports + "WHERE subject = ? AND culprits != '[]' ORDER BY id DESC")
        .bind(subject)
        .all("report", read_report);
  });
}

Result<std::vector<model::Report>> ReportStore::open_reports(const std::string& subject) const {
  return guarded(database_.path(), "read reports", [&] {
    return Query(database_, select_reports + "WHERE subject = ? AND open = 1 ORDER BY id")
        .bind(subject)
        .all("report", read_report);
  });
}

Result<std::vector<model::ReportNote>> ReportStore::notes_after(std::int64_t report_id, int revision) const {
  return guarded(database_.path(), "read notes", [&] {
    return Query(database_,
                 "SELECT id, report_id, revision, text, made_ms FROM report_note WHERE report_id = ? AND "
                 "revision > ? ORDER BY id")
        .bind(report_id, revision)
        .all("report_note", read_note);
  });
}

Result<std::vector<model::Report>> ReportStore::list(const std::string& subject, int limit) const {
  return guarded(database_.path(), "read reports", [&] {
    return Query(database_, select_reports + "WHERE subject = ? ORDER BY created_ms DESC, id DESC LIMIT ?")
        .bind(subject, limit)
        .all("report", read_report);
  });
}

Result<std::vector<model::Delivery>> ReportStore::due(TimePoint now) const {
  return guarded(database_.path(), "read deliveries", [&] {
    return Query(database_, select_deliveries +
                                "WHERE state = 'pending' AND (next_attempt_ms <= ?1 OR next_attempt_ms - ?2 > ?1) "
                                "ORDER BY next_attempt_ms, id")
        .bind(now, std::chrono::milliseconds(model::no_delivery_waits).count())
        .all("delivery", read_delivery);
  });
}

Result<std::vector<model::Undelivered>> ReportStore::undelivered(const std::string& subject, TimePoint now) const {
  constexpr std::chrono::milliseconds unseen = std::chrono::hours(1);
  return guarded(database_.path(), "read deliveries", [&]() -> Result<std::vector<model::Undelivered>> {
    TBCI_ASSIGN(
        const auto deliveries,
        Query(database_, select_deliveries +
                             "WHERE report_id IN (SELECT id FROM report WHERE subject = ?) AND (state = 'failed' "
                             "OR (state = 'pending' AND (error != '' OR next_attempt_ms < ?))) ORDER BY id")
            .bind(subject, now - unseen)
            .all("delivery", read_delivery));
    std::vector<model::Undelivered> found;
    for (const model::Delivery& delivery : deliveries) {
      TBCI_ASSIGN(const model::Report report, get(delivery.report_id));
      found.push_back({delivery, report.title});
    }
    return found;
  });
}

Result<std::vector<model::Delivery>> ReportStore::arrived(const std::string& channel) const {
  return guarded(database_.path(), "read deliveries", [&] {
    return Query(database_, select_deliveries + "WHERE channel = ? AND reference != '' ORDER BY id")
        .bind(channel)
        .all("delivery", read_delivery);
  });
}

Result<std::vector<model::Delivery>> ReportStore::deliveries(std::int64_t report_id) const {
  return guarded(database_.path(), "read deliveries", [&] {
    return Query(database_, select_deliveries + "WHERE report_id = ? ORDER BY id")
        .bind(report_id)
        .all("delivery", read_delivery);
  });
}

Status ReportStore::attempting(std::int64_t delivery_id, TimePoint now) {
  return guarded(database_.path(), fmt::format("keep delivery {}", delivery_id), [&]() -> Status {
    return Query(database_, "UPDATE delivery SET attempted_ms = coalesce(attempted_ms, ?) WHERE id = ?")
        .bind(now, delivery_id)
        .execute_for("delivery", delivery_id);
  });
}

Status ReportStore::delivered(std::int64_t delivery_id, const std::string& reference, int revision) {
  return guarded(database_.path(), fmt::format("keep delivery {}", delivery_id), [&]() -> Status {
    return Query(
               database_,
               "UPDATE delivery SET attempts = attempts + 1, reference = ?, error = '', attempted_ms = NULL, revision "
               "= ?2, "
               "state = "
               "CASE WHEN ?2 >= (SELECT revision FROM report WHERE id = report_id) THEN 'delivered' ELSE 'pending' END "
               "WHERE id = ?")
        .bind(reference, revision, delivery_id)
        .execute_for("delivery", delivery_id);
  });
}

Status ReportStore::failed_attempt(std::int64_t delivery_id, const std::string& error, TimePoint next_attempt) {
  return guarded(database_.path(), fmt::format("keep delivery {}", delivery_id), [&]() -> Status {
    return Query(database_,
                 "UPDATE delivery SET state = 'pending', attempts = attempts + 1, error = ?, next_attempt_ms = ? "
                 "WHERE id = ?")
        .bind(error, next_attempt, delivery_id)
        .execute_for("delivery", delivery_id);
  });
}

Status ReportStore::postponed(std::int64_t delivery_id, TimePoint next_attempt) {
  return guarded(database_.path(), fmt::format("keep delivery {}", delivery_id), [&]() -> Status {
    return Query(database_, "UPDATE delivery SET next_attempt_ms = ? WHERE id = ?")
        .bind(next_attempt, delivery_id)
        .execute_for("delivery", delivery_id);
  });
}

Status ReportStore::refused(std::int64_t delivery_id, const std::string& error) {
  return guarded(database_.path(), fmt::format("keep delivery {}", delivery_id), [&]() -> Status {
    return Query(database_,
                 "UPDATE delivery SET state = 'failed', attempts = attempts + 1, error = ?, attempted_ms = NULL WHERE "
                 "id = ?")
        .bind(error, delivery_id)
        .execute_for("delivery", delivery_id);
  });
}

Result<int> ReportStore::again(std::int64_t report_id, TimePoint now) {
  return guarded(database_.path(), fmt::format("make report {} due", report_id), [&]() -> Result<int> {
    return Query(database_,
                 "UPDATE delivery SET state = 'pending', attempts = 0, next_attempt_ms = ?, "
                 "reference = CASE WHEN instr(error, ?) > 0 THEN '' ELSE reference END "
                 "WHERE report_id = ? AND state != 'delivered'")
        .bind(now, std::string(model::deleted_there), report_id)
        .execute();
  });
}

}  // namespace tbci::storage
