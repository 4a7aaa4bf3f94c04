// Reports from before they had a life.
#include "storage/connection.hpp"
#include "storage/migrate.hpp"
#include "storage/report_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::report_migration_test {

using namespace tbci::test;
using storage::Database;

TEST_CASE("Migrations: from version 25 on a report knows its culprits, and whether it is over", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  {
    SQLite::Database sqlite(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    must(storage::migrate(sqlite, path, storage::embedded_migrations().first(24)));
    sqlite.exec(
        "INSERT INTO night (id, subject, name, baseline, stage, started_ms, number) VALUES (3, 'demo', '2026-01-07', "
        "'', 'done', 0, 1);");
    for (const std::string id : {"1", "2", "3"}) {
      sqlite.exec("INSERT INTO report (id, subject, marker, title, body, labels, created_ms) VALUES (" + id +
                  ", 'demo', 'm" + id + "', 't', 'b', '[]', 0)");
    }
    const auto regression = [&](const std::string& id, const std::string& series, const std::string& report,
                                const std::string& standing) {
      sqlite.exec(
          "INSERT INTO regression (id, night_id, series, verdict, pairs, reason, state, suspects, old_build, "
          "report_id, standing) VALUES (" +
          id + ", 3, '" + series + "', 'regression', 12, 'why', 'reported', '[\"abc\"]', '', " + report + ", '" +
          standing + "')");
    };
    regression("7", "dlrm/cpu-infer/time", "1", "recovered");
    regression("8", "dlrm/cpu-train/time", "1", "relapsed");
    regression("9", "lstm/cpu-train/time", "2", "accepted");
  }
  Database database = must(Database::open(path));
  const storage::ReportStore reports(database);
  CHECK(must(reports.get(1)).open);
  CHECK(must(reports.get(1)).culprits == std::vector<std::string>{"abc"});
  CHECK_FALSE(must(reports.get(2)).open);
  CHECK_FALSE(must(reports.get(3)).open);
  CHECK(must(reports.get(3)).culprits.empty());
}

}  // namespace tbci::report_migration_test
