#include "storage/bisection_store.hpp"

#include <algorithm>

#include "storage/exception_guard.hpp"
#include "storage/query.hpp"
#include "storage/series_columns.hpp"

namespace tbci::storage {

namespace {

const std::string select_bisections =
    "SELECT id, subject, key, from_commit, to_commit, series, builds, measurements, started_ms, finished_ms "
    "FROM bisection ";

Result<model::Bisection> read_bisection(Row row) {
  model::Bisection bisection;
  bisection.id = row.integer();
  bisection.subject = row.text();
  bisection.key = row.text();
  bisection.from = row.text();
  bisection.to = row.text();
  for (const std::string& series : row.strings()) bisection.series.push_back(row.take(model::series_from(series)));
  bisection.builds = row.small_integer();
  bisection.measurements = row.small_integer();
  bisection.started = row.time();
  bisection.finished = row.optional_time();
  return row.finish(std::move(bisection));
}

Result<model::Probe> read_probe(Row row) {
  model::Probe probe;
  row.integer();  // the id, which names the row
  probe.commit = row.text();
  probe.series = row.word(model::series_from);
  probe.side = row.word(model::side_from);
  probe.change = row.real();
  probe.low = row.real();
  probe.high = row.real();
  probe.pairs = row.small_integer();
  probe.reason = row.text();
  return row.finish(std::move(probe));
}

Result<model::Answer> read_answer(Row row) {
  model::Answer answer;
  row.integer();  // the bisection, which names the row
  answer.series = row.word(model::series_from);
  answer.suspects = row.strings();
  answer.change = row.real();
  answer.low = row.real();
  answer.high = row.real();
  answer.reason = row.text();
  answer.posterior = row.real();
  return row.finish(std::move(answer));
}

Result<model::FoundStep> read_step(Row row) {
  model::FoundStep step;
  row.integer();  // the bisection, which names the row
  step.suspects = row.strings();
  step.posterior = row.real();
  step.change = row.real();
  step.low = row.real();
  step.high = row.real();
  step.repair = row.integer() != 0;
  step.reason = row.text();
  step.prior = row.real();
  step.prior_reason = row.text();
  return row.finish(std::move(step));
}

Status read_steps(Database& database, std::int64_t bisection_id, std::int64_t position, model::Answer& answer) {
  TBCI_ASSIGN(answer.steps,
              Query(database,
                    "SELECT bisection_id, suspects, posterior, change, low, high, repair, reason, prior, prior_reason "
                    "FROM answer_step "
                    "WHERE bisection_id = ? AND position = ? ORDER BY step")
                  .bind(bisection_id, position)
                  .all("answer_step", read_step));
  return {};
}

Status read_answers(Database& database, model::Bisection& bisection) {
  TBCI_ASSIGN(bisection.answers,
              Query(database,
                    "SELECT bisection_id, series, suspects, change, low, high, reason, posterior FROM answer "
                    "WHERE bisection_id = ? ORDER BY position")
                  .bind(bisection.id)
                  .all("answer", read_answer));
  std::int64_t position = 0;
  for (model::Answer& answer : bisection.answers) TBCI_TRY(read_steps(database, bisection.id, position++, answer));
  return {};
}

Result<model::Commit> read_commit(Row row) {
  model::Commit commit;
  commit.id = row.text();
  commit.author = row.text();
  commit.email = row.text();
  commit.time = row.time();
  commit.subject = row.text();
  commit.inputs = row.text();
  return row.finish(std::move(commit));
}

void write_steps(Database& database, std::int64_t id, std::int64_t position, const model::Answer& answer) {
  std::int64_t number = 0;
  for (const model::FoundStep& step : answer.steps) {
    Query(database,
          "INSERT INTO answer_step (bisection_id, position, step, suspects, posterior, change, low, high, repair, "
          "reason, prior, prior_reason) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(id, position, number++, step.suspects, step.posterior, step.change, step.low, step.high,
              step.repair ? 1 : 0, step.reason, step.prior, step.prior_reason)
        .execute();
  }
}

Status write_answers(Database& database, std::int64_t id, const std::vector<model::Answer>& answers) {
  Query(database, "DELETE FROM answer_step WHERE bisection_id = ?").bind(id).execute();
  Query(database, "DELETE FROM answer WHERE bisection_id = ?").bind(id).execute();
  std::int64_t position = 0;
  for (const model::Answer& answer : answers) {
    TBCI_ASSIGN(const std::string series, series_column(answer.series));
    Query(database,
          "INSERT INTO answer (bisection_id, position, series, suspects, change, low, high, reason, posterior) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(id, position, series, answer.suspects, answer.change, answer.low, answer.high, answer.reason,
              answer.posterior)
        .execute();
    write_steps(database, id, position++, answer);
  }
  return {};
}

}  // namespace

Result<model::Bisection> BisectionStore::begin(const BisectionPlan& plan, TimePoint now) {
  TBCI_ASSIGN(const auto series, series_columns(plan.series));
  const std::string doing = fmt::format("begin the bisection {} of {}", plan.key, plan.subject);
  return guarded(database_.path(), doing, [&]() -> Result<model::Bisection> {
    Query(database_,
          "INSERT INTO bisection (subject, key, from_commit, to_commit, series, started_ms) VALUES (?, ?, ?, ?, ?, ?) "
          "ON CONFLICT (subject, key) DO NOTHING")
        .bind(plan.subject, plan.key, plan.from, plan.to, series, now)
        .execute();
    TBCI_ASSIGN(auto bisection, find(plan.subject, plan.key));
    if (!bisection->finished) TBCI_TRY(add_series(*bisection, plan.series));
    return std::move(*bisection);
  });
}

// A night that goes on may have more to search between the same ends than when it was interrupted.
Status BisectionStore::add_series(model::Bisection& bisection, const std::vector<model::Series>& planned) {
  const std::size_t known = bisection.series.size();
  for (const model::Series& one : planned) {
    if (std::ranges::find(bisection.series, one) == bisection.series.end()) bisection.series.push_back(one);
  }
  if (bisection.series.size() == known) return {};
  TBCI_ASSIGN(const auto series, series_columns(bisection.series));
  Query(database_, "UPDATE bisection SET series = ? WHERE id = ?").bind(series, bisection.id).execute();
  return {};
}

Status BisectionStore::put_probe(std::int64_t bisection_id, const model::Probe& probe) {
  TBCI_ASSIGN(const std::string series, series_column(probe.series));
  const std::string doing = fmt::format("keep a probe of {} in bisection {}", probe.commit, bisection_id);
  return guarded(database_.path(), doing, [&]() -> Status {
    Query(database_,
          "INSERT INTO probe (bisection_id, commit_id, series, side, change, low, high, pairs, reason) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (bisection_id, commit_id, series) DO UPDATE SET "
          "side = excluded.side, change = excluded.change, low = excluded.low, high = excluded.high, "
          "pairs = excluded.pairs, reason = excluded.reason")
        .bind(bisection_id, probe.commit, series, to_string(probe.side), probe.change, probe.low, probe.high,
              probe.pairs, probe.reason)
        .execute();
    return {};
  });
}

Result<std::vector<model::Probe>> BisectionStore::probes(std::int64_t bisection_id) const {
  return guarded(database_.path(), "read probes", [&] {
    return Query(database_,
                 "SELECT id, commit_id, series, side, change, low, high, pairs, reason FROM probe "
                 "WHERE bisection_id = ? ORDER BY id")
        .bind(bisection_id)
        .all("probe", read_probe);
  });
}

Status BisectionStore::count_build(std::int64_t bisection_id, int added) {
  return guarded(database_.path(), fmt::format("count a build of bisection {}", bisection_id), [&]() -> Status {
    return Query(database_, "UPDATE bisection SET builds = builds + ? WHERE id = ?")
        .bind(added, bisection_id)
        .execute_for("bisection", bisection_id);
  });
}

Status BisectionStore::count_measurement(std::int64_t bisection_id, int added) {
  return guarded(database_.path(), fmt::format("count a measurement of bisection {}", bisection_id), [&]() -> Status {
    return Query(database_, "UPDATE bisection SET measurements = measurements + ? WHERE id = ?")
        .bind(added, bisection_id)
        .execute_for("bisection", bisection_id);
  });
}

Status BisectionStore::finish(std::int64_t bisection_id, const std::vector<model::Answer>& answers, TimePoint now) {
  return database_.transaction([&]() -> Status {
    return guarded(database_.path(), fmt::format("finish bisection {}", bisection_id), [&]() -> Status {
      TBCI_TRY(Query(database_, "UPDATE bisection SET finished_ms = ? WHERE id = ?")
                   .bind(now, bisection_id)
                   .execute_for("bisection", bisection_id));
      return write_answers(database_, bisection_id, answers);
    });
  });
}

Result<std::optional<model::Bisection>> BisectionStore::find(const std::string& subject, const std::string& key) const {
  return guarded(database_.path(), "read bisections", [&]() -> Result<std::optional<model::Bisection>> {
    TBCI_ASSIGN(auto bisection, Query(database_, select_bisections + "WHERE subject = ? AND key = ?")
                                    .bind(subject, key)
                                    .first("bisection", read_bisection));
    if (bisection) TBCI_TRY(read_answers(database_, *bisection));
    return bisection;
  });
}

Result<model::Bisection> BisectionStore::get(std::int64_t id) const {
  return guarded(database_.path(), "read bisections", [&]() -> Result<model::Bisection> {
    TBCI_ASSIGN(auto bisection,
                Query(database_, select_bisections + "WHERE id = ?").bind(id).only("bisection", id, read_bisection));
    TBCI_TRY(read_answers(database_, bisection));
    return bisection;
  });
}

Result<std::vector<model::Bisection>> BisectionStore::list(const std::string& subject, int limit) const {
  return guarded(database_.path(), "read bisections", [&]() -> Result<std::vector<model::Bisection>> {
    TBCI_ASSIGN(auto bisections,
                Query(database_, select_bisections + "WHERE subject = ? ORDER BY started_ms DESC, id DESC LIMIT ?")
                    .bind(subject, limit)
                    .all("bisection", read_bisection));
    for (model::Bisection& bisection : bisections) TBCI_TRY(read_answers(database_, bisection));
    return bisections;
  });
}

Status BisectionStore::put_commits(const std::string& subject, const std::vector<model::Commit>& commits) {
  return database_.transaction([&]() -> Status {
    return guarded(database_.path(), "keep commits", [&]() -> Status {
      for (const model::Commit& commit : commits) {
        Query(database_,
              "INSERT OR REPLACE INTO source_commit (subject, id, author, email, committed_ms, title, inputs) "
              "VALUES (?, ?, ?, ?, ?, ?, ?)")
            .bind(subject, commit.id, commit.author, commit.email, commit.time, commit.subject, commit.inputs)
            .execute();
      }
      return {};
    });
  });
}

Result<std::optional<model::Commit>> BisectionStore::commit(const std::string& subject, const std::string& id) const {
  return guarded(database_.path(), "read commits", [&] {
    return Query(database_,
                 "SELECT id, author, email, committed_ms, title, inputs FROM source_commit "
                 "WHERE subject = ? AND id = ?")
        .bind(subject, id)
        .first("source_commit", read_commit);
  });
}

}  // namespace tbci::storage
