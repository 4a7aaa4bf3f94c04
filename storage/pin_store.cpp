#include "storage/pin_store.hpp"

#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

const std::string select_pins = "SELECT name, subject, person, reason, set_ms FROM pin ";

Result<model::Pin> read_pin(Row row) {
  model::Pin pin;
  pin.nightly = row.text();
  pin.subject = row.text();
  pin.person = row.text();
  pin.reason = row.text();
  pin.set = row.time();
  return row.finish(std::move(pin));
}

}  // namespace

Status PinStore::put(const model::Pin& pin) {
  return guarded(database_.path(), "keep the pin of " + pin.nightly, [&]() -> Status {
    Query(database_, "INSERT OR REPLACE INTO pin (subject, name, person, reason, set_ms) VALUES (?, ?, ?, ?, ?)")
        .bind(pin.subject, pin.nightly, pin.person, pin.reason, pin.set)
        .execute();
    return {};
  });
}

Result<bool> PinStore::remove(const std::string& subject, const std::string& nightly) {
  return guarded(database_.path(), "remove the pin of " + nightly, [&]() -> Result<bool> {
    return Query(database_, "DELETE FROM pin WHERE subject = ? AND name = ?").bind(subject, nightly).execute() > 0;
  });
}

Result<std::optional<model::Pin>> PinStore::find(const std::string& subject, const std::string& nightly) const {
  return guarded(database_.path(), "read pins", [&] {
    return Query(database_, select_pins + "WHERE subject = ? AND name = ?")
        .bind(subject, nightly)
        .first("pin", read_pin);
  });
}

Result<std::vector<model::Pin>> PinStore::list(const std::string& subject) const {
  return guarded(database_.path(), "read pins", [&] {
    return Query(database_, select_pins + "WHERE subject = ? ORDER BY set_ms, name").bind(subject).all("pin", read_pin);
  });
}

}  // namespace tbci::storage
