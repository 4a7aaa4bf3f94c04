// The regressions of NightStore.
#include "storage/exception_guard.hpp"
#include "storage/night_store.hpp"
#include "storage/query.hpp"
#include "storage/series_columns.hpp"

namespace tbci::storage {

namespace {

const std::string select_regressions = fmt::format(
    "SELECT id, night_id, {}, state, bisection_id, suspects, no_culprit, report_id, old_build, step, standing FROM "
    "regression ",
    finding_columns);

// As model::is_open.
const std::string open_standing = "standing IN ('open', 'relapsed') ";

Result<model::Regression> read_regression(Row row) {
  model::Regression regression;
  regression.id = row.integer();
  regression.night_id = row.integer();
  regression.finding = read_finding(row);
  regression.state = row.word(model::regression_state_from);
  regression.bisection_id = row.optional_integer();
  regression.suspects = row.strings();
  regression.reason = row.text();
  regression.report_id = row.optional_integer();
  regression.old_build = row.text();
  regression.step = row.small_integer();
  regression.standing = row.word(model::standing_from);
  return row.finish(std::move(regression));
}

}  // namespace

Result<model::Regression> NightStore::add_regression(std::int64_t night_id, const model::Finding& finding,
                                                     const std::string& old_build, int step) {
  TBCI_ASSIGN(const std::string series, series_column(finding.series));
  const std::string doing = fmt::format("keep the regression of {} in night {}", series, night_id);
  return guarded(database_.path(), doing, [&]() -> Result<model::Regression> {
    Query insert(database_, fmt::format("INSERT INTO regression (night_id, {}, state, old_build, step) VALUES "
                                        "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'confirmed', ?, ?) "
                                        "ON CONFLICT (night_id, series, step) DO NOTHING",
                                        finding_columns));
    insert.bind(night_id);
    bind_finding(insert, series, finding);
    insert.bind(old_build, step);
    insert.execute();
    TBCI_ASSIGN(auto regression, Query(database_, select_regressions + "WHERE night_id = ? AND series = ? AND step = ?")
                                     .bind(night_id, series, step)
                                     .first("regression", read_regression));
    return std::move(*regression);
  });
}

Status NightStore::update(const model::Regression& regression) {
  TBCI_ASSIGN(const std::string series, series_column(regression.finding.series));
  return guarded(database_.path(), fmt::format("keep regression {}", regression.id), [&]() -> Status {
    Query query(database_, fmt::format("UPDATE regression SET ({}, state, bisection_id, suspects, no_culprit, "
                                       "report_id) = (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) WHERE id = ?",
                                       finding_columns));
    bind_finding(query, series, regression.finding);
    query.bind(to_string(regression.state), regression.bisection_id, regression.suspects, regression.reason,
               regression.report_id, regression.id);
    return query.execute_for("regression", regression.id);
  });
}

Result<std::vector<model::Regression>> NightStore::regressions(std::int64_t night_id) const {
  return guarded(database_.path(), "read regressions", [&] {
    return Query(database_, select_regressions + "WHERE night_id = ? ORDER BY id")
        .bind(night_id)
        .all("regression", read_regression);
  });
}

Result<std::vector<model::Regression>> NightStore::open_regressions(const std::string& subject) const {
  return guarded(database_.path(), "read regressions", [&] {
    return Query(database_, select_regressions + "WHERE " + open_standing +
                                "AND (SELECT subject FROM night WHERE id = night_id) = ? ORDER BY id")
        .bind(subject)
        .all("regression", read_regression);
  });
}

Result<std::vector<model::Regression>> NightStore::regressions_of_series(const std::string& subject,
                                                                         const model::Series& series,
                                                                         const std::string& standing) const {
  TBCI_ASSIGN(const std::string text, series_column(series));
  return guarded(database_.path(), "read regressions", [&] {
    return Query(database_, select_regressions + "WHERE series = ?2 AND " + standing +
                                "AND (SELECT subject FROM night WHERE id = night_id) = ?1 ORDER BY id")
        .bind(subject, text)
        .all("regression", read_regression);
  });
}

Result<std::vector<model::Regression>> NightStore::open_regressions(const std::string& subject,
                                                                    const model::Series& series) const {
  return regressions_of_series(subject, series, open_standing);
}

Result<std::vector<model::Regression>> NightStore::series_regressions(const std::string& subject,
                                                                      const model::Series& series) const {
  return regressions_of_series(subject, series, "true ");
}

Result<std::vector<model::Regression>> NightStore::accepted_regressions(const std::string& subject,
                                                                        const model::Series& series) const {
  return regressions_of_series(subject, series, "standing = 'accepted' ");
}

Result<std::vector<model::Regression>> NightStore::regressions_of_report(std::int64_t report_id) const {
  return guarded(database_.path(), "read regressions", [&] {
    return Query(database_, select_regressions + "WHERE report_id = ? ORDER BY id")
        .bind(report_id)
        .all("regression", read_regression);
  });
}

Result<std::vector<model::Regression>> NightStore::latest_regressions(const std::string& subject, int limit) const {
  return guarded(database_.path(), "read regressions", [&] {
    return Query(database_, select_regressions +
                                "WHERE night_id IN (SELECT id FROM night WHERE subject = ?) ORDER BY id DESC LIMIT ?")
        .bind(subject, limit)
        .all("regression", read_regression);
  });
}

Result<model::Regression> NightStore::regression(std::int64_t id) const {
  return guarded(database_.path(), "read regressions", [&] {
    return Query(database_, select_regressions + "WHERE id = ?").bind(id).only("regression", id, read_regression);
  });
}

}  // namespace tbci::storage
