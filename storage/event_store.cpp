#include "storage/event_store.hpp"

#include "base/version_order.hpp"
#include "storage/exception_guard.hpp"
#include "storage/query.hpp"
#include "storage/series_columns.hpp"

namespace tbci::storage {

namespace {

const std::string select_events =
    "SELECT e.id, e.night_id, n.name, e.runner, e.kind, e.series, e.reason, e.noticed_ms FROM event e "
    "JOIN night n ON n.id = e.night_id ";

Result<model::Event> read_event(Row row) {
  model::Event event;
  event.id = row.integer();
  event.night_id = row.integer();
  event.night = row.text();
  event.runner = row.text();
  event.kind = row.word(model::event_kind_from);
  const std::string series = row.text();
  if (!series.empty()) event.series = row.take(model::series_from(series));
  event.reason = row.text();
  event.noticed = row.time();
  return row.finish(std::move(event));
}

}  // namespace

Status EventStore::notice(const NewEvent& event, TimePoint now) {
  std::string series;
  if (event.series) {
    TBCI_ASSIGN(series, series_column(*event.series));
  }
  return guarded(database_.path(), fmt::format("keep an event of night {}", event.night_id), [&]() -> Status {
    Query(database_,
          "INSERT INTO event (night_id, runner, kind, series, reason, noticed_ms) VALUES (?, ?, ?, ?, ?, ?) "
          "ON CONFLICT (night_id, runner, kind, series) DO NOTHING")
        .bind(event.night_id, event.runner, to_string(event.kind), series, event.reason, now)
        .execute();
    return {};
  });
}

Result<std::vector<model::Event>> EventStore::of_night(std::int64_t night_id) const {
  return guarded(database_.path(), "read events", [&] {
    return Query(database_, select_events + "WHERE e.night_id = ? ORDER BY e.kind, e.series")
        .bind(night_id)
        .all("event", read_event);
  });
}

Result<std::vector<model::Event>> EventStore::since(const std::string& subject, const std::string& runner,
                                                    const std::string& nightly) const {
  return guarded(database_.path(), "read events", [&] {
    return Query(database_, select_events +
                                "WHERE n.subject = ? AND n.sort_key >= ? AND e.runner = ? "
                                "ORDER BY n.sort_key, e.kind, e.series")
        .bind(subject, version_key(nightly), runner)
        .all("event", read_event);
  });
}

Result<std::vector<model::Event>> EventStore::latest(const std::string& subject, int limit) const {
  return guarded(database_.path(), "read events", [&] {
    return Query(database_, select_events + "WHERE n.subject = ? ORDER BY n.sort_key DESC, e.kind, e.series LIMIT ?")
        .bind(subject, limit)
        .all("event", read_event);
  });
}

}  // namespace tbci::storage
