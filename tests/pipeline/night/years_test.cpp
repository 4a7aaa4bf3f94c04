// What a night reads of the years before it.
#include <SQLiteCpp/SQLiteCpp.h>
#include <sqlite3.h>

#include <chrono>

#include "storage/connection.hpp"
#include "tests/pipeline/nights.hpp"

namespace tbci::years_test {

using namespace tbci::test;

namespace {

// A run, a build and a night a day; all cases measured alone, and a few findings, events and looks at the anchor.
constexpr const char* years_sql = R"sql(
CREATE TEMP TABLE one AS WITH RECURSIVE counted (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM counted
  WHERE number < (SELECT nights FROM place)) SELECT number, printf('2016-%05d', number) AS name FROM counted;
INSERT INTO build (id, subject, kind, name, state, libtorch, commit_id, started_ms, sort_key)
  SELECT number, 'fake', 'nightly', name, 'ready', '/tmp', (SELECT commit_id FROM place), number, version_key(name)
  FROM one;
INSERT INTO night (id, subject, name, baseline, stage, started_ms, finished_ms, sort_key, number)
  SELECT number, 'fake', name, printf('2016-%05d', number - 1), 'done', number, number, version_key(name), number
  FROM one;
INSERT INTO run (id, subject, key, purpose, runner, environment, started_ms, finished_ms)
  SELECT number, 'fake', name || '/screen', 'screen', 'test-runner', (SELECT fingerprint FROM place), number, number
  FROM one;
INSERT INTO torch (id, version, git) VALUES (1, 'fake', 'fake');
INSERT INTO measurement (run_id, build_id, case_id, ordinal, outcome, message, sample_count, median_ns,
  instruction_count, cpu_peak_bytes, cpu_growth_bytes, cpu_growth_low_bytes, cpu_growth_high_bytes, torch_id, started_ms,
  wall_ns)
  SELECT one.number, one.number, c.id, p.number - 1, CASE c.configuration WHEN 'cpu-infer' THEN 'done' ELSE
    'unsupported' END, '', 0, 1e7 * (1 + 0.001 * ((one.number * 7 + c.id * 3 + p.number) % 9 - 4)), 0, 200 << 20,
    CASE p.number WHEN 1 THEN 0 END, CASE p.number WHEN 1 THEN -8 END, CASE p.number WHEN 1 THEN 8 END, 1, one.number, 1
  FROM one, measured_case c, one p
  WHERE p.number <= CASE c.configuration WHEN 'cpu-infer' THEN (SELECT processes FROM place) ELSE 1 END;
INSERT INTO finding (night_id, phase, series, verdict, pairs, reason)
  SELECT one.number, p.phase, c.benchmark || '/cpu-infer/time', p.verdict, 0, ''
  FROM one, measured_case c, (SELECT 'screen' AS phase, 'clear' AS verdict UNION ALL SELECT 'confirm', 'clear') p
  WHERE c.configuration = 'cpu-infer' AND (p.phase = 'screen' OR ((SELECT nights FROM place) - one.number + c.id) % 20 = 0);
INSERT INTO regression (night_id, series, verdict, pairs, reason, state, standing)
  SELECT one.number, c.benchmark || '/cpu-infer/time', 'regression', 8, '', 'reported', 'recovered' FROM one, measured_case c
  WHERE c.configuration = 'cpu-infer' AND (one.number + c.id) % 97 = 0;
INSERT INTO regression (night_id, series, verdict, before_value, after_value, change, pairs, reason, state, standing)
  SELECT nights - 3, c.benchmark || '/cpu-infer/time', 'regression', 9e6, 1e7, 0.11, 8, '', 'reported', 'open'
  FROM place, measured_case c WHERE c.configuration = 'cpu-infer' AND (SELECT open FROM place) AND NOT EXISTS
  (SELECT 1 FROM regression r WHERE r.night_id = nights - 3 AND r.series = c.benchmark || '/cpu-infer/time');
INSERT INTO event (night_id, runner, kind, series, reason, noticed_ms)
  SELECT number, 'test-runner', 'moved', (SELECT benchmark FROM measured_case WHERE configuration = 'cpu-infer' AND
    id % 5 = one.number % 5 LIMIT 1) || '/cpu-infer/cpu_memory', '', number FROM one
  WHERE ((SELECT nights FROM place) - number) % 30 = 15;
INSERT INTO anchor (id, subject, build_id, person, reason, set_ms) VALUES (1, 'fake', 1, 'ada', 'the release', 1);
INSERT INTO anchor_look (anchor_id, night_id, series, pairs, verdict, effect)
  SELECT 1, one.number, c.benchmark || '/cpu-infer/' || m.metric, CASE m.metric WHEN 'cpu_leak' THEN '[[0,0]]' ELSE
    '[[10,10.1],[10,10],[10.1,10]]' END, CASE one.number % 50 WHEN 0 THEN 'clear' ELSE '' END,
    CASE one.number % 50 WHEN 0 THEN 0.0 END
  FROM one, measured_case c, (SELECT 'time' AS metric UNION ALL SELECT 'cpu_memory' UNION ALL SELECT 'cpu_leak') m
  WHERE c.configuration = 'cpu-infer' AND ((SELECT nights FROM place) - one.number + c.id) % 8 = 0;
)sql";

struct Cost {
  double operations = 0;  // of SQLite's virtual machine, in thousands
  double seconds = 0;
};

/// What a night costs after this number of nights: the work for the database, and the time of all.
Cost cost_after(int past_nights, std::size_t benchmarks, int processes, bool open_regressions = false) {
  Nights nights(2);
  nights.machine.suite.clear();
  for (std::size_t i = 0; i < benchmarks; ++i) nights.machine.suite.push_back(fmt::format("model{}", i));
  nights.bench->config().measure.sampling = {.least = 1, .most = 1};
  nights.bench->config().measure.anchor_cases = static_cast<int>(benchmarks / 8 + 1);
  SQLite::Database& sqlite = nights.bench->stores().database.connection().sqlite;
  sqlite.exec("PRAGMA synchronous = OFF");
  sqlite.exec("BEGIN");
  sqlite.exec(fmt::format(
      "CREATE TEMP TABLE place AS SELECT '{}' AS commit_id, '{}' AS fingerprint, {} AS nights, {} AS processes, "
      "{} AS open",
      nights.commit(0), model::Environment{nights.machine.facts}.fingerprint(), past_nights, processes,
      open_regressions ? 1 : 0));
  sqlite.exec("INSERT INTO environment SELECT fingerprint, '{\"cpu\":\"fake\"}', 0 FROM place");
  for (const std::string& name : nights.machine.suite) {
    for (const char* configuration : {"cpu-infer", "gpu-infer"})
      sqlite.exec(
          fmt::format("INSERT INTO measured_case (benchmark, configuration) VALUES ('{}', '{}')", name, configuration));
  }
  sqlite.exec(years_sql);
  sqlite.exec("COMMIT");

  Cost cost;
  sqlite3_progress_handler(
      sqlite.getHandle(), 1000, [](void* operations) { return ++*static_cast<double*>(operations), 0; },
      &cost.operations);
  const auto begin = std::chrono::steady_clock::now();
  const auto result = nights.check(1);
  cost.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  sqlite3_progress_handler(sqlite.getHandle(), 0, nullptr, nullptr);
  CHECK(result.findings.size() >= benchmarks * 3);
  CHECK(nights.measured_on(1) > 0);
  return cost;
}

}  // namespace

TEST_CASE("Years: a night reads no more after ten years than after one", "[nights][long]") {
  const Cost one = cost_after(365, 8, 1), ten = cost_after(3650, 8, 1);
  INFO("thousands of operations of the database: " << one.operations << " and " << ten.operations);
  CHECK(one.operations > 0);
  CHECK(ten.operations < 1.15 * one.operations);
}

TEST_CASE("Years: an open regression costs no more with ten years of ended ones of its series", "[nights][long]") {
  const double one = cost_after(365, 8, 1, true).operations - cost_after(365, 8, 1).operations;
  const double ten = cost_after(3650, 8, 1, true).operations - cost_after(3650, 8, 1).operations;
  INFO("thousands of operations of the database for the regressions alone: " << one << " and " << ten);
  CHECK(one > 0);
  CHECK(ten < 1.25 * one);
}

TEST_CASE("Years: what a night of 168 benchmarks costs after one year and after ten, printed", "[.years]") {
  for (const int past_nights : {365, 3650}) {
    const Cost cost = cost_after(past_nights, 168, 5);
    WARN(past_nights << " nights: " << cost.operations << " thousand operations, " << cost.seconds << " s");
  }
}

}  // namespace tbci::years_test
