#include "storage/improvement_store.hpp"

#include "storage/exception_guard.hpp"
#include "storage/query.hpp"
#include "storage/series_columns.hpp"

namespace tbci::storage {

namespace {

const std::string select_improvements = fmt::format(
    "SELECT id, night_id, {}, old_build, state, bisection_id, suspects, no_commit FROM improvement ", finding_columns);
const std::string select_endings =
    "SELECT regression_id, night_id, since_id, improvement_id, revert_commit, told FROM ending ";

Result<model::Improvement> read_improvement(Row row) {
  model::Improvement improvement;
  improvement.id = row.integer();
  improvement.night_id = row.integer();
  improvement.finding = read_finding(row);
  improvement.old_build = row.text();
  improvement.state = row.word(model::improvement_state_from);
  improvement.bisection_id = row.optional_integer();
  improvement.suspects = row.strings();
  improvement.reason = row.text();
  return row.finish(std::move(improvement));
}

Result<model::ImprovementTry> read_improvement_try(Row row) {
  model::ImprovementTry tried;
  tried.night_id = row.integer();
  tried.tries = row.small_integer();
  tried.next = row.time();
  tried.reason = row.text();
  tried.mark = row.optional_text();
  return row.finish(std::move(tried));
}

Result<model::Ending> read_ending(Row row) {
  model::Ending ending;
  ending.regression_id = row.integer();
  ending.night_id = row.integer();
  ending.since_id = row.integer();
  ending.improvement_id = row.optional_integer();
  ending.revert_commit = row.text();
  ending.told = row.integer() != 0;
  return row.finish(std::move(ending));
}

}  // namespace

Result<model::Improvement> ImprovementStore::add(std::int64_t night_id, const model::Finding& finding,
                                                 const std::string& old_build) {
  TBCI_ASSIGN(const std::string series, series_column(finding.series));
  const std::string doing = fmt::format("keep the improvement of {} in night {}", series, night_id);
  return guarded(database_.path(), doing, [&]() -> Result<model::Improvement> {
    Query insert(database_, fmt::format("INSERT INTO improvement (night_id, {}, old_build, state) VALUES "
                                        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'confirmed') "
                                        "ON CONFLICT (night_id, series) DO NOTHING",
                                        finding_columns));
    insert.bind(night_id);
    bind_finding(insert, series, finding);
    insert.bind(old_build);
    insert.execute();
    TBCI_ASSIGN(auto improvement, Query(database_, select_improvements + "WHERE night_id = ? AND series = ?")
                                      .bind(night_id, series)
                                      .first("improvement", read_improvement));
    return std::move(*improvement);
  });
}

Status ImprovementStore::update(const model::Improvement& improvement) {
  TBCI_ASSIGN(const std::string series, series_column(improvement.finding.series));
  return guarded(database_.path(), fmt::format("keep improvement {}", improvement.id), [&]() -> Status {
    Query query(database_, fmt::format("UPDATE improvement SET ({}, state, bisection_id, suspects, no_commit) = "
                                       "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?",
                                       finding_columns));
    bind_finding(query, series, improvement.finding);
    query.bind(to_string(improvement.state), improvement.bisection_id, improvement.suspects, improvement.reason,
               improvement.id);
    return query.execute_for("improvement", improvement.id);
  });
}

Result<model::Improvement> ImprovementStore::get(std::int64_t id) const {
  return guarded(database_.path(), "read improvements", [&] {
    return Query(database_, select_improvements + "WHERE id = ?").bind(id).only("improvement", id, read_improvement);
  });
}

Result<std::vector<model::Improvement>> ImprovementStore::of_night(std::int64_t night_id) const {
  return guarded(database_.path(), "read improvements", [&] {
    return Query(database_, select_improvements + "WHERE night_id = ? ORDER BY id")
        .bind(night_id)
        .all("improvement", read_improvement);
  });
}

Result<std::vector<model::Improvement>> ImprovementStore::of_series(const std::string& subject,
                                                                    const model::Series& series) const {
  TBCI_ASSIGN(const std::string text, series_column(series));
  return guarded(database_.path(), "read improvements", [&] {
    return Query(database_, select_improvements +
                                "WHERE series = ?2 AND (SELECT subject FROM night WHERE id = night_id) = ?1 "
                                "ORDER BY id")
        .bind(subject, text)
        .all("improvement", read_improvement);
  });
}

Result<std::vector<model::Improvement>> ImprovementStore::waiting(const std::string& subject) const {
  return guarded(database_.path(), "read improvements", [&] {
    return Query(database_, select_improvements +
                                "WHERE state = 'confirmed' AND (SELECT subject FROM night WHERE id = night_id) = ? "
                                "ORDER BY id")
        .bind(subject)
        .all("improvement", read_improvement);
  });
}

Result<model::ImprovementTry> ImprovementStore::tries_of(std::int64_t night_id) const {
  return guarded(database_.path(), "read tries to search for improvements", [&]() -> Result<model::ImprovementTry> {
    TBCI_ASSIGN(
        auto stored,
        Query(database_, "SELECT night_id, tries, next_ms, reason, mark FROM improvement_try WHERE night_id = ?")
            .bind(night_id)
            .first("improvement_try", read_improvement_try));
    if (stored) return std::move(*stored);
    model::ImprovementTry none;
    none.night_id = night_id;
    return none;
  });
}

Status ImprovementStore::put_tries(const model::ImprovementTry& tried) {
  return guarded(database_.path(), "keep a try to search for improvements", [&]() -> Status {
    Query(database_,
          "INSERT OR REPLACE INTO improvement_try (night_id, tries, next_ms, reason, mark) VALUES (?, ?, ?, ?, ?)")
        .bind(tried.night_id, tried.tries, tried.next, tried.reason, tried.mark)
        .execute();
    return {};
  });
}

Status ImprovementStore::remove_tries(std::int64_t night_id) {
  return guarded(database_.path(), "forget tries to search for improvements", [&]() -> Status {
    Query(database_, "DELETE FROM improvement_try WHERE night_id = ?").bind(night_id).execute();
    return {};
  });
}

Status ImprovementStore::put_ending(const model::Ending& ending) {
  const std::string doing = fmt::format("keep the end of regression {}", ending.regression_id);
  return guarded(database_.path(), doing, [&]() -> Status {
    Query(database_,
          "INSERT OR REPLACE INTO ending (regression_id, night_id, since_id, improvement_id, revert_commit, told) "
          "VALUES (?, ?, ?, ?, ?, ?)")
        .bind(ending.regression_id, ending.night_id, ending.since_id, ending.improvement_id, ending.revert_commit,
              ending.told ? 1 : 0)
        .execute();
    return {};
  });
}

Result<std::optional<model::Ending>> ImprovementStore::ending_of(std::int64_t regression_id) const {
  return guarded(database_.path(), "read ends of regressions", [&] {
    return Query(database_, select_endings + "WHERE regression_id = ?")
        .bind(regression_id)
        .first("ending", read_ending);
  });
}

Result<std::vector<model::Ending>> ImprovementStore::untold_endings(const std::string& subject) const {
  return guarded(database_.path(), "read ends of regressions", [&] {
    return Query(database_, select_endings +
                                "WHERE told = 0 AND (SELECT subject FROM night WHERE id = night_id) = ? "
                                "ORDER BY regression_id")
        .bind(subject)
        .all("ending", read_ending);
  });
}

Result<std::vector<model::Ending>> ImprovementStore::endings_by(std::int64_t improvement_id) const {
  return guarded(database_.path(), "read ends of regressions", [&] {
    return Query(database_, select_endings + "WHERE improvement_id = ? ORDER BY regression_id")
        .bind(improvement_id)
        .all("ending", read_ending);
  });
}

Result<std::vector<model::Ending>> ImprovementStore::endings_on(std::int64_t night_id) const {
  return guarded(database_.path(), "read ends of regressions", [&] {
    return Query(database_, select_endings + "WHERE night_id = ? ORDER BY regression_id")
        .bind(night_id)
        .all("ending", read_ending);
  });
}

}  // namespace tbci::storage
