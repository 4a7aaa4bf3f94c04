#include "storage/report_store.hpp"

#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

const std::string select_reports = "SELECT id, subject, marker, title, body, labels, created_ms FROM report ";
const std::string select_deliveries =
    "SELECT id, report_id, channel, state, attempts, next_attempt_ms, reference, error FROM delivery ";

Result<model::Report> read_report(Row row) {
  model::Report report;
  report.id = row.integer();
  report.subject = row.text();
  report.marker = row.text();
  report.title = row.text();
  report.body = row.text();
  report.labels = row.strings();
  report.created = row.time();
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
  return row.finish(std::move(delivery));
}

/// The report with its deliveries; false where its marker is taken.
bool insert(Database& database, const model::Report& report, const std::vector<std::string>& channels, TimePoint now) {
  const bool inserted =
      Query(database,
            "INSERT INTO report (subject, marker, title, body, labels, created_ms) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (subject, marker) DO NOTHING")
          .bind(report.subject, report.marker, report.title, report.body, report.labels, now)
          .execute() == 1;
  if (!inserted) return false;
  const std::int64_t id = last_id(database);
  for (const std::string& channel : channels) {
    Query(database, "INSERT INTO delivery (report_id, channel, state, next_attempt_ms) VALUES (?, ?, 'pending', ?)")
        .bind(id, channel, now)
        .execute();
  }
  return true;
}

}  // namespace

Result<model::Report> ReportStore::file(const model::Report& report, const std::vector<std::string>& channels,
                                        TimePoint now) {
  model::Report filed;
  TBCI_TRY(database_.transaction([&]() -> Status {
    return guarded(database_.path(), fmt::format("file the report {}", report.marker), [&]() -> Status {
      insert(database_, report, channels, now);
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

Result<std::vector<model::Report>> ReportStore::list(const std::string& subject, int limit) const {
  return guarded(database_.path(), "read reports", [&] {
    return Query(database_, select_reports + "WHERE subject = ? ORDER BY created_ms DESC, id DESC LIMIT ?")
        .bind(subject, limit)
        .all("report", read_report);
  });
}

Result<std::vector<model::Delivery>> ReportStore::due(TimePoint now) const {
  return guarded(database_.path(), "read deliveries", [&] {
    return Query(database_,
                 select_deliveries + "WHERE state = 'pending' AND next_attempt_ms <= ? ORDER BY next_attempt_ms, id")
        .bind(now)
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

Status ReportStore::delivered(std::int64_t delivery_id, const std::string& reference) {
  return guarded(database_.path(), fmt::format("keep delivery {}", delivery_id), [&]() -> Status {
    return Query(database_,
                 "UPDATE delivery SET state = 'delivered', attempts = attempts + 1, reference = ?, error = '' "
                 "WHERE id = ?")
        .bind(reference, delivery_id)
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

Status ReportStore::refused(std::int64_t delivery_id, const std::string& error) {
  return guarded(database_.path(), fmt::format("keep delivery {}", delivery_id), [&]() -> Status {
    return Query(database_, "UPDATE delivery SET state = 'failed', attempts = attempts + 1, error = ? WHERE id = ?")
        .bind(error, delivery_id)
        .execute_for("delivery", delivery_id);
  });
}

}  // namespace tbci::storage
