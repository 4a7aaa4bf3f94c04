#include "storage/night_store.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "base/version_order.hpp"
#include "storage/exception_guard.hpp"
#include "storage/query.hpp"
#include "storage/series_columns.hpp"

namespace tbci::storage {

namespace {

const std::string select_nights =
    "SELECT id, subject, name, baseline, stage, note, started_ms, finished_ms, number FROM night ";

Result<model::Night> read_night(Row row) {
  model::Night night;
  night.id = row.integer();
  night.subject = row.text();
  night.name = row.text();
  night.baseline = row.text();
  night.stage = row.word(model::stage_from);
  night.note = row.text();
  night.started = row.time();
  night.finished = row.optional_time();
  night.number = row.small_integer();
  return row.finish(std::move(night));
}

Result<model::Finding> read_one_finding(Row row) {
  row.integer();  // the night, which names the row
  model::Finding finding = read_finding(row);
  return row.finish(std::move(finding));
}

Result<SeriesFinding> read_series_finding(Row row) {
  row.integer();  // the night, which names the row
  SeriesFinding found;
  found.night = row.text();
  found.phase = row.text() == "screen" ? Phase::screen : Phase::confirm;
  found.finding = read_finding(row);
  return row.finish(std::move(found));
}

const char* to_text(Phase phase) {
  return phase == Phase::screen ? "screen" : "confirm";
}

}  // namespace

Result<model::Night> NightStore::begin(const NightPlan& plan, TimePoint now) {
  const std::string doing = fmt::format("begin the night {} of {}", plan.name, plan.subject);
  return guarded(database_.path(), doing, [&]() -> Result<model::Night> {
    Query(database_,
          "INSERT INTO night (subject, name, baseline, stage, started_ms, sort_key, number) VALUES (?1, ?2, ?3, "
          "'install', ?4, ?5, (SELECT coalesce(max(number), 0) + 1 FROM night WHERE subject = ?1)) "
          "ON CONFLICT (subject, name) DO NOTHING")
        .bind(plan.subject, plan.name, plan.baseline, now, version_key(plan.name))
        .execute();
    TBCI_ASSIGN(auto night, find(plan.subject, plan.name));
    return std::move(*night);
  });
}

Status NightStore::compare_with(std::int64_t id, const std::string& baseline) {
  return guarded(database_.path(), fmt::format("change the baseline of night {}", id), [&]() -> Status {
    return Query(database_, "UPDATE night SET baseline = ? WHERE id = ?").bind(baseline, id).execute_for("night", id);
  });
}

Status NightStore::enter(std::int64_t id, model::Stage stage, const std::string& note) {
  return guarded(database_.path(), fmt::format("enter a stage of night {}", id), [&]() -> Status {
    return Query(database_,
                 "UPDATE night SET stage = ?, note = CASE WHEN ?2 = '' THEN note ELSE ?2 END, finished_ms = NULL "
                 "WHERE id = ?3")
        .bind(to_string(stage), note, id)
        .execute_for("night", id);
  });
}

Status NightStore::finish(std::int64_t id, model::Stage end, const std::string& note, TimePoint now) {
  TBCI_ASSERT(end == model::Stage::done || end == model::Stage::failed);
  return guarded(database_.path(), fmt::format("finish night {}", id), [&]() -> Status {
    return Query(database_, "UPDATE night SET stage = ?, note = ?, finished_ms = ? WHERE id = ?")
        .bind(to_string(end), note, now, id)
        .execute_for("night", id);
  });
}

Result<std::optional<model::Night>> NightStore::find(const std::string& subject, const std::string& name) const {
  return guarded(database_.path(), "read nights", [&] {
    return Query(database_, select_nights + "WHERE subject = ? AND name = ?")
        .bind(subject, name)
        .first("night", read_night);
  });
}

Result<model::Night> NightStore::get(std::int64_t id) const {
  return guarded(database_.path(), "read nights", [&] {
    return Query(database_, select_nights + "WHERE id = ?").bind(id).only("night", id, read_night);
  });
}

Result<std::string> NightStore::name_of(std::int64_t id) const {
  return get(id).map([](const model::Night& night) { return night.name; });
}

Result<std::optional<model::Night>> NightStore::latest(const std::string& subject) const {
  return guarded(database_.path(), "read nights", [&] {
    return Query(database_, select_nights + "WHERE subject = ? ORDER BY sort_key DESC LIMIT 1")
        .bind(subject)
        .first("night", read_night);
  });
}

Result<std::vector<model::Night>> NightStore::list(const std::string& subject, int limit) const {
  return guarded(database_.path(), "read nights", [&] {
    return Query(database_, select_nights + "WHERE subject = ? ORDER BY sort_key DESC LIMIT ?")
        .bind(subject, limit)
        .all("night", read_night);
  });
}

Result<std::vector<model::Night>> NightStore::before(const std::string& subject, const std::string& name,
                                                     int limit) const {
  return guarded(database_.path(), "read nights", [&]() -> Result<std::vector<model::Night>> {
    TBCI_ASSIGN(auto nights,
                Query(database_, select_nights + "WHERE subject = ? AND sort_key < ? ORDER BY sort_key DESC LIMIT ?")
                    .bind(subject, version_key(name), limit)
                    .all("night", read_night));
    std::reverse(nights.begin(), nights.end());
    return nights;
  });
}

Result<std::optional<int>> NightStore::first_number_after(const std::string& subject, TimePoint time) const {
  return guarded(database_.path(), "read nights", [&]() -> Result<std::optional<int>> {
    TBCI_ASSIGN(const auto night,
                Query(database_, select_nights + "WHERE subject = ? AND started_ms > ? ORDER BY started_ms, id LIMIT 1")
                    .bind(subject, time)
                    .first("night", read_night));
    return night ? std::optional(night->number) : std::nullopt;
  });
}

Result<std::vector<model::Night>> NightStore::unfinished(const std::string& subject) const {
  return guarded(database_.path(), "read nights", [&] {
    return Query(database_, select_nights + "WHERE subject = ? AND stage NOT IN ('done', 'failed') ORDER BY sort_key")
        .bind(subject)
        .all("night", read_night);
  });
}

Status NightStore::put_finding(std::int64_t night_id, Phase phase, const model::Finding& finding) {
  TBCI_ASSIGN(const std::string series, series_column(finding.series));
  return guarded(database_.path(), fmt::format("keep a finding of night {}", night_id), [&]() -> Status {
    Query query(database_, fmt::format("INSERT OR REPLACE INTO finding (night_id, phase, {}) "
                                       "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                                       finding_columns));
    query.bind(night_id, to_text(phase));
    bind_finding(query, series, finding);
    query.execute();
    return {};
  });
}

Result<std::vector<model::Finding>> NightStore::findings(std::int64_t night_id, std::optional<Phase> phase) const {
  return guarded(database_.path(), "read findings", [&] {
    return Query(database_, fmt::format("SELECT night_id, {} FROM finding WHERE night_id = ?1 AND "
                                        "(?2 IS NULL OR phase = ?2) ORDER BY phase DESC, series",
                                        finding_columns))
        .bind(night_id, phase ? std::optional<std::string>(to_text(*phase)) : std::nullopt)
        .all("finding", read_one_finding);
  });
}

Result<std::vector<SeriesFinding>> NightStore::series_findings(const std::string& subject, const model::Series& series,
                                                               int limit) const {
  TBCI_ASSIGN(const std::string text, series_column(series));
  return guarded(database_.path(), "read findings", [&] {
    return Query(database_,
                 fmt::format(
                     "SELECT n.id, n.name, f.phase, {} FROM (SELECT id, name, sort_key FROM night WHERE subject = ?1 "
                     "ORDER BY sort_key DESC LIMIT ?3) n JOIN finding f ON f.night_id = n.id AND f.phase IN "
                     "('screen', 'confirm') AND f.series = ?2 ORDER BY n.sort_key, f.phase DESC",
                     finding_columns))
        .bind(subject, text, limit)
        .all("finding", read_series_finding);
  });
}

}  // namespace tbci::storage
