#include "storage/run_store.hpp"

#include <nlohmann/json.hpp>

#include "base/text.hpp"
#include "storage/exception_guard.hpp"
#include "storage/query.hpp"

namespace tbci::storage {

namespace {

const std::string select_runs =
    "SELECT id, subject, key, purpose, runner, environment, started_ms, finished_ms FROM run ";

Result<model::Run> read_run(Row row) {
  model::Run run;
  run.id = row.integer();
  run.subject = row.text();
  run.key = row.text();
  run.purpose = row.word(model::purpose_from);
  run.runner = row.text();
  run.environment = row.text();
  run.started = row.time();
  run.finished = row.optional_time();
  return row.finish(std::move(run));
}

Result<std::string> read_name(Row row) {
  std::string name = row.text();
  return row.finish(std::move(name));
}

Result<model::Environment> read_environment(Row row) {
  row.text();  // the fingerprint, which names the row
  model::Environment environment{row.string_map()};
  return row.finish(std::move(environment));
}

Result<model::Case> read_case(Row row) {
  row.integer();  // the id, which names the row
  model::Case measured;
  measured.benchmark = row.text();
  measured.configuration = row.word(model::configuration_from);
  return row.finish(std::move(measured));
}

Result<ScreenedCases> read_screened(Row row) {
  ScreenedCases cases;
  cases.runner = row.text();
  cases.environment = row.text();
  cases.ran = row.small_integer();
  cases.failed = row.small_integer();
  return row.finish(std::move(cases));
}

}  // namespace

Result<std::string> RunStore::remember(const model::Environment& environment, TimePoint now) {
  return guarded(database_.path(), "keep the environment", [&]() -> Result<std::string> {
    std::string fingerprint = environment.fingerprint();
    // Facts come from files of the machine: bytes that are not UTF-8 must not stop a run.
    const std::string facts = to_json(environment.facts);
    Query(database_,
          "INSERT INTO environment (fingerprint, facts, first_seen_ms) VALUES (?, ?, ?) "
          "ON CONFLICT (fingerprint) DO NOTHING")
        .bind(fingerprint, facts, now)
        .execute();
    return fingerprint;
  });
}

Result<std::optional<model::Environment>> RunStore::environment(const std::string& fingerprint) const {
  return guarded(database_.path(), "read environments", [&] {
    return Query(database_, "SELECT fingerprint, facts FROM environment WHERE fingerprint = ?")
        .bind(fingerprint)
        .first("environment", read_environment);
  });
}

Result<model::Run> RunStore::begin(const RunPlan& plan, const model::Environment& environment, TimePoint now) {
  model::Run run;
  TBCI_TRY(database_.transaction([&]() -> Status {
    TBCI_ASSIGN(const std::string fingerprint, remember(environment, now));
    const std::string doing = fmt::format("begin the run {} of {}", plan.key, plan.subject);
    return guarded(database_.path(), doing, [&]() -> Status {
      Query(database_,
            "INSERT INTO run (subject, key, purpose, runner, environment, started_ms) VALUES (?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (subject, key) DO NOTHING")
          .bind(plan.subject, plan.key, to_string(plan.purpose), plan.runner, fingerprint, now)
          .execute();
      TBCI_ASSIGN(auto found, find(plan.subject, plan.key));
      run = std::move(*found);
      return {};
    });
  }));
  return run;
}

Status RunStore::finish(std::int64_t id, TimePoint now) {
  return guarded(database_.path(), fmt::format("finish run {}", id), [&]() -> Status {
    return Query(database_, "UPDATE run SET finished_ms = ? WHERE id = ?").bind(now, id).execute_for("run", id);
  });
}

Result<std::optional<model::Run>> RunStore::find(const std::string& subject, const std::string& key) const {
  return guarded(database_.path(), "read runs", [&] {
    return Query(database_, select_runs + "WHERE subject = ? AND key = ?").bind(subject, key).first("run", read_run);
  });
}

Result<std::vector<model::Run>> RunStore::runs_of_key(const std::string& subject, const std::string& key) const {
  // Keys that begin with `key@`: '@' comes right before 'A'.
  return guarded(database_.path(), "read runs", [&] {
    return Query(database_,
                 select_runs + "WHERE subject = ?1 AND (key = ?2 OR (key >= ?3 AND key < ?4)) ORDER BY id DESC")
        .bind(subject, key, key + "@", key + "A")
        .all("run", read_run);
  });
}

Result<model::Run> RunStore::get(std::int64_t id) const {
  return guarded(database_.path(), "read runs",
                 [&] { return Query(database_, select_runs + "WHERE id = ?").bind(id).only("run", id, read_run); });
}

Result<std::vector<model::Run>> RunStore::runs(const std::string& subject, int limit) const {
  return guarded(database_.path(), "read runs", [&] {
    // The last rows are the latest runs. The plus keeps SQLite from an index by subject, after which it would have to
    // sort all runs of the subject.
    return Query(database_, select_runs + "WHERE +subject = ? ORDER BY id DESC LIMIT ?")
        .bind(subject, limit)
        .all("run", read_run);
  });
}

Result<std::vector<std::string>> RunStore::runners(const std::string& subject) const {
  return guarded(database_.path(), "read runners", [&] {
    return Query(database_, "SELECT DISTINCT runner FROM run WHERE subject = ? ORDER BY runner")
        .bind(subject)
        .all("run", read_name);
  });
}

Result<std::vector<std::string>> RunStore::measured_builds(const std::string& subject,
                                                           const std::string& runner) const {
  return guarded(database_.path(), "read builds", [&] {
    return Query(database_,
                 "SELECT b.name FROM build b WHERE b.id IN (SELECT m.build_id FROM run r JOIN measurement m "
                 "ON m.run_id = r.id WHERE r.subject = ? AND r.runner = ?) ORDER BY b.sort_key DESC, b.id DESC")
        .bind(subject, runner)
        .all("build", read_name);
  });
}

Result<std::vector<model::Run>> RunStore::runs_of_build(std::int64_t build_id) const {
  return guarded(database_.path(), "read runs", [&] {
    return Query(database_, select_runs +
                                "WHERE id IN (SELECT DISTINCT run_id FROM measurement WHERE build_id = ?) "
                                "ORDER BY id DESC")
        .bind(build_id)
        .all("run", read_run);
  });
}

Result<std::vector<ScreenedCases>> RunStore::screened_cases(std::int64_t build_id) const {
  return guarded(database_.path(), "read what ran", [&] {
    return Query(database_,
                 "SELECT runner, environment, sum(ran), sum(1 - ran) FROM (SELECT r.runner, r.environment, "
                 "max(m.outcome = 'done' AND coalesce(m.finite, 1)) AS ran FROM measurement m "
                 "JOIN run r ON r.id = m.run_id WHERE m.build_id = ? AND r.purpose = 'screen' "
                 "AND m.outcome <> 'unsupported' GROUP BY r.runner, r.environment, m.case_id) "
                 "GROUP BY runner, environment ORDER BY runner, environment")
        .bind(build_id)
        .all("measurement", read_screened);
  });
}

Result<std::vector<model::Case>> RunStore::measured_cases(const std::string& subject) const {
  return guarded(database_.path(), "read what was measured", [&] {
    return Query(database_,
                 "SELECT c.id, c.benchmark, c.configuration FROM measured_case c WHERE EXISTS (SELECT 1 FROM build b "
                 "JOIN measurement m ON m.build_id = b.id AND m.case_id = c.id WHERE b.subject = ?) "
                 "ORDER BY c.benchmark, c.id")
        .bind(subject)
        .all("measured_case", read_case);
  });
}

}  // namespace tbci::storage
