#include "storage/anchor_store.hpp"

#include <algorithm>

#include "storage/exception_guard.hpp"
#include "storage/pairs_json.hpp"
#include "storage/query.hpp"
#include "storage/series_columns.hpp"

namespace tbci::storage {

namespace {

const std::string select_acts = "SELECT id, subject, build_id, person, reason, set_ms FROM anchor ";
const std::string select_looks =
    "SELECT r.anchor_id, r.night_id, n.name, r.series, r.pairs, r.verdict, r.effect, n.number FROM anchor_look r "
    "JOIN night n ON n.id = r.night_id ";

Result<model::Anchor> read_act(Row row) {
  model::Anchor anchor;
  anchor.id = row.integer();
  anchor.subject = row.text();
  anchor.build_id = row.optional_integer();
  anchor.person = row.text();
  anchor.reason = row.text();
  anchor.set = row.time();
  return row.finish(std::move(anchor));
}

Result<model::AnchorLook> read_look(Row row) {
  model::AnchorLook look;
  look.anchor_id = row.integer();
  look.night_id = row.integer();
  look.night = row.text();
  look.series = row.word(model::series_from);
  look.pairs = row.take(pairs_from_json(row.text()));
  const std::string verdict = row.text();
  if (!verdict.empty()) look.verdict = row.take(model::verdict_from(verdict));
  look.effect = row.optional_real().value_or(0);
  look.night_number = row.small_integer();
  return row.finish(std::move(look));
}

// The last of those for which a condition with a night holds, the oldest first.
Result<std::vector<model::AnchorLook>> last_looks(Database& database, std::int64_t anchor_id,
                                                  const model::Series& series, const std::string& condition,
                                                  std::int64_t night_id, int limit) {
  return guarded(database.path(), "read looks at the anchor", [&]() -> Result<std::vector<model::AnchorLook>> {
    TBCI_ASSIGN(auto looks, Query(database, select_looks + "WHERE r.anchor_id = ? AND r.series = ? AND " + condition +
                                                " ORDER BY r.night_id DESC LIMIT ?")
                                .bind(anchor_id, to_string(series), night_id, limit)
                                .all("anchor_look", read_look));
    std::reverse(looks.begin(), looks.end());
    return looks;
  });
}

Result<model::SilentAnchor> read_silent(Row row) {
  model::SilentAnchor silent;
  silent.build = row.text();
  silent.last_night = row.text();
  return row.finish(std::move(silent));
}

}  // namespace

Result<model::Anchor> AnchorStore::set(const model::Anchor& anchor) {
  return guarded(database_.path(), "keep the anchor of " + anchor.subject, [&]() -> Result<model::Anchor> {
    Query(database_, "INSERT INTO anchor (subject, build_id, person, reason, set_ms) VALUES (?, ?, ?, ?, ?)")
        .bind(anchor.subject, anchor.build_id, anchor.person, anchor.reason, anchor.set)
        .execute();
    model::Anchor kept = anchor;
    kept.id = last_id(database_);
    return kept;
  });
}

Result<std::optional<model::Anchor>> AnchorStore::current(const std::string& subject) const {
  TBCI_ASSIGN(const auto newest, acts(subject, 1));
  if (newest.empty() || !newest.front().build_id) return std::nullopt;
  return newest.front();
}

Result<std::vector<model::Anchor>> AnchorStore::acts(const std::string& subject, int limit) const {
  return guarded(database_.path(), "read anchors", [&] {
    return Query(database_, select_acts + "WHERE subject = ? ORDER BY id DESC LIMIT ?")
        .bind(subject, limit)
        .all("anchor", read_act);
  });
}

Status AnchorStore::keep(const model::AnchorLook& look) {
  TBCI_ASSIGN(const std::string series, series_column(look.series));
  return guarded(
      database_.path(), fmt::format("keep a look of night {} at the anchor", look.night_id), [&]() -> Status {
        Query(database_,
              "INSERT INTO anchor_look (anchor_id, night_id, series, pairs, verdict, effect) VALUES (?, ?, ?, ?, ?, ?) "
              "ON CONFLICT (anchor_id, night_id, series) DO UPDATE SET pairs = excluded.pairs, "
              "verdict = excluded.verdict, effect = excluded.effect")
            .bind(look.anchor_id, look.night_id, series, to_json(look.pairs),
                  look.verdict ? to_string(*look.verdict) : std::string_view(),
                  look.verdict ? std::optional(look.effect) : std::nullopt)
            .execute();
        return {};
      });
}

Result<std::vector<model::AnchorLook>> AnchorStore::looks(std::int64_t anchor_id, const model::Series& series,
                                                          const LookWindow& window) const {
  // Ids of nights grow with time, and end both indexes. SQLite would take the confirmations from all looks at the
  // anchor, so the index is named.
  const std::string newest =
      "SELECT night_id FROM (SELECT night_id FROM anchor_look WHERE anchor_id = ?1 AND series = ?2 "
      "ORDER BY night_id DESC LIMIT ?3)";
  const std::string confirmations =
      "SELECT night_id FROM (SELECT night_id FROM anchor_look INDEXED BY anchor_look_confirmed WHERE anchor_id = ?1 "
      "AND series = ?2 AND verdict <> '' ORDER BY night_id DESC LIMIT ?4)";
  return guarded(database_.path(), "read looks at the anchor", [&] {
    return Query(database_, select_looks + "WHERE r.anchor_id = ?1 AND r.series = ?2 AND r.night_id IN (" + newest +
                                " UNION " + confirmations + ") ORDER BY n.sort_key")
        .bind(anchor_id, to_string(series), window.newest, window.confirmations)
        .all("anchor_look", read_look);
  });
}

Result<std::vector<model::AnchorLook>> AnchorStore::looks_until(std::int64_t anchor_id, const model::Series& series,
                                                                std::int64_t night_id, int limit) const {
  return last_looks(database_, anchor_id, series, "r.night_id <= ?", night_id, limit);
}

Result<std::vector<model::AnchorLook>> AnchorStore::looks_after(std::int64_t anchor_id, const model::Series& series,
                                                                std::int64_t night_id, int limit) const {
  return last_looks(database_, anchor_id, series, "r.night_id > ?", night_id, limit);
}

Result<std::optional<model::SilentAnchor>> AnchorStore::silent(const std::string& subject) const {
  TBCI_ASSIGN(const auto anchor, current(subject));
  if (!anchor) return std::optional<model::SilentAnchor>{};
  return guarded(database_.path(), "read when nights looked at the anchor", [&] {
    return Query(database_,
                 "WITH last AS (SELECT id FROM night WHERE subject = ?1 AND stage = 'done' AND started_ms >= ?2 "
                 "ORDER BY sort_key DESC LIMIT ?3) "
                 "SELECT b.name, coalesce((SELECT n.name FROM anchor_look r JOIN night n ON n.id = r.night_id "
                 "WHERE r.anchor_id = ?4 ORDER BY r.night_id DESC LIMIT 1), '') FROM build b WHERE b.id = ?5 "
                 "AND (SELECT count(*) FROM last) = ?3 AND NOT EXISTS "
                 "(SELECT 1 FROM anchor_look r WHERE r.anchor_id = ?4 AND r.night_id IN last)")
        .bind(subject, anchor->set, model::nights_of_silence, anchor->id, anchor->build_id)
        .first("anchor", read_silent);
  });
}

Result<std::vector<model::AnchorLook>> AnchorStore::of_night(std::int64_t anchor_id, std::int64_t night_id) const {
  return guarded(database_.path(), "read looks at the anchor", [&] {
    return Query(database_, select_looks + "WHERE r.anchor_id = ? AND r.night_id = ? ORDER BY r.series")
        .bind(anchor_id, night_id)
        .all("anchor_look", read_look);
  });
}

}  // namespace tbci::storage
