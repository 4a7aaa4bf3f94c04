#include "storage/decision_store.hpp"

#include "storage/exception_guard.hpp"
#include "storage/query.hpp"
#include "storage/series_columns.hpp"

namespace tbci::storage {

namespace {

const std::string select_decisions = "SELECT id, regression_id, standing, person, reason, decided_ms FROM decision ";
const std::string select_mutes = "SELECT subject, series, until_ms, person, reason, set_ms FROM mute ";

// Of a regression, the newest nightly's first. A night may be judged late, but not by months: sorting these is enough,
// and costs the same after years.
const std::string latest_looks =
    "SELECT l.verdict FROM (SELECT night_id, verdict FROM recovery_look WHERE regression_id = ? "
    "ORDER BY night_id DESC LIMIT 60) l JOIN night n ON n.id = l.night_id ORDER BY n.sort_key DESC";

Result<model::Decision> read_decision(Row row) {
  model::Decision decision;
  decision.id = row.integer();
  decision.regression_id = row.integer();
  decision.standing = row.word(model::standing_from);
  decision.person = row.text();
  decision.reason = row.text();
  decision.decided = row.time();
  return row.finish(std::move(decision));
}

Result<model::Verdict> read_verdict(Row row) {
  const model::Verdict verdict = row.word(model::verdict_from);
  return row.finish(verdict);
}

Result<model::RecoveryLook> read_recovery_look(Row row) {
  model::RecoveryLook look;
  look.night_id = row.integer();
  look.verdict = row.word(model::verdict_from);
  look.effect = row.optional_real();
  return row.finish(look);
}

Result<model::UnwatchedRegression> read_unwatched(Row row) {
  model::UnwatchedRegression unwatched;
  unwatched.id = row.integer();
  unwatched.series = row.word(model::series_from);
  unwatched.last_night = row.text();
  return row.finish(std::move(unwatched));
}

Result<model::Mute> read_mute(Row row) {
  model::Mute mute;
  mute.subject = row.text();
  mute.series = row.word(model::series_from);
  mute.until = row.time();
  mute.person = row.text();
  mute.reason = row.text();
  mute.set = row.time();
  return row.finish(std::move(mute));
}

}  // namespace

Status DecisionStore::decide(const model::Decision& decision) {
  return database_.transaction([&]() -> Status {
    return guarded(database_.path(), fmt::format("keep the standing of regression {}", decision.regression_id),
                   [&]() -> Status {
                     TBCI_TRY(Query(database_, "UPDATE regression SET standing = ? WHERE id = ?")
                                  .bind(to_string(decision.standing), decision.regression_id)
                                  .execute_for("regression", decision.regression_id));
                     Query(database_,
                           "INSERT INTO decision (regression_id, standing, person, reason, decided_ms) "
                           "VALUES (?, ?, ?, ?, ?)")
                         .bind(decision.regression_id, to_string(decision.standing), decision.person, decision.reason,
                               decision.decided)
                         .execute();
                     return {};
                   });
  });
}

Result<std::vector<model::Decision>> DecisionStore::of_regression(std::int64_t regression_id) const {
  return guarded(database_.path(), "read decisions", [&] {
    return Query(database_, select_decisions + "WHERE regression_id = ? ORDER BY id")
        .bind(regression_id)
        .all("decision", read_decision);
  });
}

Status DecisionStore::keep_recovery_look(std::int64_t regression_id, const model::RecoveryLook& look) {
  return guarded(database_.path(), fmt::format("keep a look at regression {}", regression_id), [&]() -> Status {
    Query(database_,
          "INSERT INTO recovery_look (regression_id, night_id, verdict, effect) VALUES (?, ?, ?, ?) "
          "ON CONFLICT (regression_id, night_id) DO UPDATE SET verdict = excluded.verdict, effect = excluded.effect")
        .bind(regression_id, look.night_id, to_string(look.verdict), look.effect)
        .execute();
    return {};
  });
}

Result<int> DecisionStore::clear_looks(std::int64_t regression_id) const {
  return guarded(database_.path(), "read looks at regressions", [&]() -> Result<int> {
    TBCI_ASSIGN(const auto looks,
                Query(database_, latest_looks).bind(regression_id).all("recovery_look", read_verdict));
    int clear = 0;
    for (const model::Verdict verdict : looks) {
      if (verdict != model::Verdict::clear) break;
      ++clear;
    }
    return clear;
  });
}

Result<std::optional<model::Verdict>> DecisionStore::latest_look(std::int64_t regression_id) const {
  return guarded(database_.path(), "read looks at regressions", [&] {
    return Query(database_, latest_looks).bind(regression_id).first("recovery_look", read_verdict);
  });
}

Result<std::optional<int>> DecisionStore::latest_measured_look(std::int64_t regression_id) const {
  return guarded(database_.path(), "read looks at regressions", [&]() -> Result<std::optional<int>> {
    Query query(database_,
                "SELECT n.number FROM recovery_look l JOIN night n ON n.id = l.night_id "
                "WHERE l.regression_id = ? AND l.verdict <> 'suspect' ORDER BY l.night_id DESC LIMIT 1");
    if (!query.bind(regression_id).next()) return std::optional<int>{};
    return std::optional(query.row("recovery_look").small_integer());
  });
}

Result<std::vector<model::RecoveryLook>> DecisionStore::recovery_looks(std::int64_t regression_id) const {
  return guarded(database_.path(), "read looks at regressions", [&] {
    return Query(database_,
                 "SELECT l.night_id, l.verdict, l.effect FROM recovery_look l JOIN night n ON n.id = l.night_id "
                 "WHERE l.regression_id = ? ORDER BY n.sort_key DESC")
        .bind(regression_id)
        .all("recovery_look", read_recovery_look);
  });
}

Result<bool> DecisionStore::has_recovery_look(std::int64_t regression_id, std::int64_t night_id) const {
  return guarded(database_.path(), "read looks at regressions", [&]() -> Result<bool> {
    TBCI_ASSIGN(const auto look,
                Query(database_, "SELECT verdict FROM recovery_look WHERE regression_id = ? AND night_id = ?")
                    .bind(regression_id, night_id)
                    .first("recovery_look", read_verdict));
    return look.has_value();
  });
}

Status DecisionStore::forget_recovery_looks(std::int64_t regression_id) {
  return guarded(database_.path(), fmt::format("forget the looks at regression {}", regression_id), [&]() -> Status {
    Query(database_, "DELETE FROM recovery_look WHERE regression_id = ?").bind(regression_id).execute();
    return {};
  });
}

Result<std::vector<model::UnwatchedRegression>> DecisionStore::unwatched(const std::string& subject) const {
  return guarded(database_.path(), "read looks at regressions", [&] {
    // INDEXED BY, CROSS JOIN and + keep SQLite from looking at all nights, or at all findings, for each regression.
    return Query(database_,
                 "WITH watched AS (SELECT r.id, r.series, coalesce((SELECT max(l.night_id) FROM recovery_look l "
                 "WHERE l.regression_id = r.id), r.night_id) AS last FROM regression r INDEXED BY regression_open "
                 "CROSS JOIN night n ON n.id = r.night_id WHERE n.subject = ?1 "
                 "AND r.standing IN ('open', 'relapsed') AND NOT EXISTS (SELECT 1 FROM regression larger "
                 "WHERE larger.night_id = r.night_id AND larger.series = r.series AND larger.step < r.step "
                 "AND larger.standing IN ('open', 'relapsed'))) "
                 "SELECT w.id, w.series, n.name FROM watched w JOIN night n ON n.id = w.last "
                 "WHERE (SELECT count(*) FROM night later CROSS JOIN finding f ON f.night_id = later.id "
                 "AND f.phase = 'screen' AND f.series = w.series AND f.verdict <> 'inconclusive' WHERE +later.subject "
                 "= ?1 AND later.id > w.last "
                 "AND later.stage = 'done') >= ?2 "
                 "ORDER BY w.id")
        .bind(subject, model::nights_unwatched)
        .all("regression", read_unwatched);
  });
}

Status DecisionStore::mute(const model::Mute& mute) {
  TBCI_ASSIGN(const std::string series, series_column(mute.series));
  return guarded(database_.path(), "mute " + series, [&]() -> Status {
    Query(database_,
          "INSERT INTO mute (subject, series, until_ms, person, reason, set_ms) VALUES (?, ?, ?, ?, ?, ?) "
          "ON CONFLICT (subject, series) DO UPDATE SET until_ms = excluded.until_ms, person = excluded.person, "
          "reason = excluded.reason, set_ms = excluded.set_ms")
        .bind(mute.subject, series, mute.until, mute.person, mute.reason, mute.set)
        .execute();
    return {};
  });
}

Result<std::optional<model::Mute>> DecisionStore::muted(const std::string& subject, const model::Series& series,
                                                        TimePoint now) const {
  TBCI_ASSIGN(const std::string text, series_column(series));
  return guarded(database_.path(), "read mutes", [&] {
    return Query(database_, select_mutes + "WHERE subject = ? AND series = ? AND until_ms > ?")
        .bind(subject, text, now)
        .first("mute", read_mute);
  });
}

Result<std::vector<model::Mute>> DecisionStore::mutes(const std::string& subject, TimePoint now) const {
  return guarded(database_.path(), "read mutes", [&] {
    return Query(database_, select_mutes + "WHERE subject = ? AND until_ms > ? ORDER BY series")
        .bind(subject, now)
        .all("mute", read_mute);
  });
}

}  // namespace tbci::storage
