#include "storage/database.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <span>
#include <thread>

#include "base/file.hpp"
#include "base/version_order.hpp"
#include "storage/build_store.hpp"
#include "storage/connection.hpp"
#include "storage/migrate.hpp"
#include "storage/night_store.hpp"
#include "storage/retest_store.hpp"
#include "storage/run_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::database_test {

using namespace tbci::test;
using storage::Access;
using storage::BuildStore;
using storage::Database;

namespace {

constexpr auto nightly = model::BuildKind::nightly;

/// All tables and indexes as SQL, in a fixed order.
std::string schema_of(const std::filesystem::path& path) {
  SQLite::Database sqlite(path.string());
  SQLite::Statement rows(sqlite, "SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name");
  std::string text;
  while (rows.executeStep()) {
    for (int column = 0; column < 3; ++column) text += rows.getColumn(column).getString() + "|";
  }
  return text + std::to_string(sqlite.execAndGet("PRAGMA user_version").getInt());
}

}  // namespace

TEST_CASE("Migrations: they are numbered from 1 without gaps", "[storage]") {
  int expected = 0;
  for (const auto& migration : storage::embedded_migrations()) CHECK(migration.number == ++expected);
  CHECK(Database::newest_version() == expected);
  CHECK(expected >= 1);
}

TEST_CASE("Migrations: from every earlier version the same tables come out", "[storage]") {
  const TemporaryDirectory folder;
  must(Database::open(folder / "fresh.db"));
  const std::string expected = schema_of(folder / "fresh.db");
  CHECK(contains(expected, "measurement"));
  const auto all = storage::embedded_migrations();
  for (std::size_t version = 0; version <= all.size(); ++version) {
    const auto path = folder / ("from-" + std::to_string(version) + ".db");
    {
      SQLite::Database sqlite(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
      must(storage::migrate(sqlite, path, all.first(version)));
      CHECK(sqlite.execAndGet("PRAGMA user_version").getInt() == (version == 0 ? 0 : all[version - 1].number));
    }
    must(must(Database::open(path)).check());
    CHECK(schema_of(path) == expected);
  }
}

TEST_CASE("Migrations: a regression from before version 10 is step 0 afterwards", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  {
    SQLite::Database sqlite(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    must(storage::migrate(sqlite, path, storage::embedded_migrations().first(9)));
    sqlite.exec(
        "INSERT INTO night (id, subject, name, baseline, stage, started_ms) VALUES (3, 'demo', '2026-01-07', '', "
        "'done', 0);"
        "INSERT INTO regression (id, night_id, series, verdict, before_value, change, pairs, reason, state, suspects, "
        "old_build) VALUES (7, 3, 'dlrm/cpu-infer/time', 'regression', 5.5, 0.08, 12, 'why', 'unattributed', "
        "'[\"abc\"]', '2026-01-04')");
  }
  Database database = must(Database::open(path));
  const auto regression = must(storage::NightStore(database).regression(7));
  CHECK(regression.night_id == 3);
  CHECK(regression.step == 0);
  CHECK(model::to_string(regression.finding.series) == "dlrm/cpu-infer/time");
  CHECK(regression.finding.before == 5.5);
  CHECK(regression.finding.change == 0.08);
  CHECK(regression.finding.reason == "why");
  CHECK(regression.suspects == std::vector<std::string>{"abc"});
  CHECK(regression.old_build == "2026-01-04");
}

TEST_CASE("Migrations: what a night left for the next one before version 11 are its retests afterwards", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  {
    SQLite::Database sqlite(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    must(storage::migrate(sqlite, path, storage::embedded_migrations().first(10)));
    sqlite.exec(
        "INSERT INTO night (id, subject, name, baseline, stage, started_ms) VALUES (3, 'demo', '2026-01-07', '', "
        "'done', 0);"
        "INSERT INTO leftover (night_id, series, old_build, first_suspect, suspected, nights_looked, nights_waited, "
        "pairs) VALUES (3, 'dlrm/cpu-infer/time', '2026-01-04', '2026-01-05', 0.085, 2, 1, '[[5.5,6.25]]')");
  }
  Database database = must(Database::open(path));
  must(database.check());
  const auto retests = must(storage::RetestStore(database).of_night(3));
  REQUIRE(retests.size() == 1);
  CHECK(model::to_string(retests[0].series) == "dlrm/cpu-infer/time");
  CHECK(retests[0].old_build == "2026-01-04");
  CHECK(retests[0].first_suspect == "2026-01-05");
  CHECK(retests[0].suspected == 0.085);
  CHECK(retests[0].nights_looked == 2);
  CHECK(retests[0].nights_waited == 1);
  CHECK(retests[0].pairs == std::vector<model::ValuePair>{{5.5, 6.25}});
  CHECK_FALSE(database.connection().sqlite.tableExists("leftover"));
  CHECK(error_of(storage::RetestStore(database).replace(4, retests)).kind == ErrorKind::machine);
}

TEST_CASE("Migrations: from version 15 on the nights are in the order of their versions, and numbered", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  {
    SQLite::Database sqlite(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    const auto all = storage::embedded_migrations();
    const auto newer = std::ranges::find(all, 15, &storage::Migration::number);
    must(storage::migrate(sqlite, path, std::span(all.begin(), newer)));
    sqlite.exec(
        "INSERT INTO night (id, subject, name, baseline, stage, started_ms) VALUES (3, 'demo', '0.9', '', 'done', 0), "
        "(4, 'other', '0.9', '', 'done', 0), (5, 'demo', '0.10', '0.9', 'done', 0);"
        "INSERT INTO build (subject, kind, name, state, started_ms) VALUES ('demo', 'nightly', '0.10', 'ready', 0)");
  }
  Database database = must(Database::open(path));
  const storage::NightStore nights(database);
  const auto latest = must(nights.latest("demo"));
  REQUIRE(latest);
  CHECK(latest->name == "0.10");
  CHECK(latest->number == 2);
  CHECK(must(nights.find("other", "0.9"))->number == 1);
  auto& sqlite = database.connection().sqlite;
  CHECK(sqlite.execAndGet("SELECT sort_key FROM build").getString() == version_key("0.10"));
}

TEST_CASE("Migrations: one that fails leaves the version before it", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  const auto first = storage::embedded_migrations().front();
  const storage::Migration both[] = {first,
                                     {2, "0002_bad", "CREATE TABLE half (id INTEGER) STRICT; SELECT * FROM no;"}};
  SQLite::Database sqlite(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
  CHECK(contains(error_of(storage::migrate(sqlite, path, both)).message, "no such table"));
  CHECK(sqlite.execAndGet("PRAGMA user_version").getInt() == 1);
  CHECK_FALSE(sqlite.tableExists("half"));
}

TEST_CASE("Database: a newer version is refused and stays as it is", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  must(Database::open(path));
  SQLite::Database(path.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 777");
  const std::string before = must(read_file(path));
  for (const Access access : {Access::read_write, Access::read_only}) {
    const Error error = error_of(Database::open(path, access));
    CHECK(error.kind == ErrorKind::usage);
    CHECK(error.message == "database " + path.string() + " has version 777, this tbci knows up to " +
                               std::to_string(Database::newest_version()) +
                               ": use a newer tbci or another --state folder");
  }
  CHECK(must(read_file(path)) == before);
}

TEST_CASE("Database: a file that is not ours is refused and stays as it is", "[storage]") {
  const TemporaryDirectory folder;
  const auto text = folder / "notes.txt";
  std::ofstream(text) << std::string(5000, 'x');
  const auto foreign = folder / "other.db";
  SQLite::Database(foreign.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec("CREATE TABLE mail (id INTEGER)");
  for (const auto& path : {text, foreign}) {
    const std::string before = must(read_file(path));
    for (const Access access : {Access::read_write, Access::read_only}) {
      const Error error = error_of(Database::open(path, access));
      CHECK(error.kind == ErrorKind::usage);
      CHECK(contains(error.message, path.string()));
      CHECK_FALSE(contains(error.message, "\n"));
    }
    CHECK(must(read_file(path)) == before);
  }
  CHECK(contains(error_of(Database::open(folder.path())).message, "cannot"));
}

TEST_CASE("Database: reading a missing database makes no file", "[storage]") {
  const TemporaryDirectory folder;
  const Error error = error_of(Database::open(folder / "tbci.sqlite", Access::read_only));
  CHECK(error.kind == ErrorKind::usage);
  CHECK(contains(error.message, "there is no database"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("Database: it is durable, checked and in WAL mode", "[storage]") {
  Fixture fixture;
  auto& sqlite = fixture.database().connection().sqlite;
  CHECK(sqlite.execAndGet("PRAGMA journal_mode").getString() == "wal");
  CHECK(sqlite.execAndGet("PRAGMA synchronous").getInt() == 2);
  CHECK(sqlite.execAndGet("PRAGMA foreign_keys").getInt() == 1);
  must(fixture.database().check());
}

TEST_CASE("Database: the error of a second writer names the first one", "[storage]") {
  Fixture fixture;
  const Error error = error_of(Database::open(fixture.path()));
  CHECK(error.kind == ErrorKind::transient);
  CHECK(contains(error.message, "pid " + std::to_string(::getpid())));
  CHECK(contains(error.message, fixture.path().string()));
}

TEST_CASE("Database: a reader works beside a writer, sees what is committed, and cannot write", "[storage]") {
  Fixture fixture;
  auto reader = must(Database::open(fixture.path(), Access::read_only));
  BuildStore writing(fixture.database());
  BuildStore reading(reader);
  must(fixture.database().transaction([&]() -> Status {
    must(writing.begin("demo", nightly, "2026-01-05", at(0)));
    CHECK(must(reading.list("demo", 10)).empty());
    return {};
  }));
  CHECK(must(reading.list("demo", 10)).size() == 1);
  must(reader.transaction([&]() -> Status {
    CHECK(must(reading.list("demo", 10)).size() == 1);
    must(writing.begin("demo", nightly, "2026-01-06", at(1)));
    CHECK(must(reading.list("demo", 10)).size() == 1);  // one consistent picture
    return {};
  }));
  CHECK(must(reading.list("demo", 10)).size() == 2);
  CHECK(error_of(reading.begin("demo", nightly, "2026-01-07", at(2))).kind == ErrorKind::machine);
}

TEST_CASE("Database: a transaction that fails or throws leaves nothing", "[storage]") {
  Fixture fixture;
  BuildStore builds(fixture.database());
  const auto failing = fixture.database().transaction([&]() -> Status {
    must(builds.begin("demo", nightly, "a", at(0)));
    return fail(ErrorKind::failed, "no");
  });
  CHECK(error_of(failing).message == "no");
  CHECK_THROWS_AS(fixture.database().transaction([&]() -> Status {
    must(builds.begin("demo", nightly, "b", at(0)));
    throw std::runtime_error("thrown");
  }),
                  std::runtime_error);
  CHECK(must(builds.list("demo", 10)).empty());
}

TEST_CASE("Database: an inner transaction that fails takes back its own writes only", "[storage]") {
  Fixture fixture;
  BuildStore builds(fixture.database());
  must(fixture.database().transaction([&]() -> Status {
    must(builds.begin("demo", nightly, "outer", at(0)));
    CHECK_FALSE(fixture.database()
                    .transaction([&]() -> Status {
                      must(builds.begin("demo", nightly, "inner", at(1)));
                      return fail(ErrorKind::failed, "no");
                    })
                    .has_value());
    return {};
  }));
  const auto left = must(builds.list("demo", 10));
  REQUIRE(left.size() == 1);
  CHECK(left[0].name == "outer");
}

TEST_CASE("Database: a killed process leaves what it committed, and no lock", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // no test macros in here: the child must only write and die
    auto database = Database::open(path);
    if (!database) ::_exit(1);
    BuildStore builds(*database);
    if (!builds.begin("demo", nightly, "committed", at(0))) ::_exit(2);
    const auto status = database->transaction([&]() -> Status {
      if (!builds.begin("demo", nightly, "half", at(1))) ::_exit(3);
      ::raise(SIGKILL);
      return {};
    });
    ::_exit(4);
  }
  int how = 0;
  REQUIRE(::waitpid(child, &how, 0) == child);
  REQUIRE(WIFSIGNALED(how));
  auto database = must(Database::open(path));
  must(database.check());
  const auto left = must(BuildStore(database).list("demo", 10));
  REQUIRE(left.size() == 1);
  CHECK(left[0].name == "committed");
}

TEST_CASE("Database: a full disk is a clear error and costs only the change that met it", "[storage]") {
  Fixture fixture;
  auto& sqlite = fixture.database().connection().sqlite;
  BuildStore builds(fixture.database());
  const auto build = must(builds.begin("demo", nightly, "kept", at(0)));
  const int pages = sqlite.execAndGet("PRAGMA page_count").getInt();
  sqlite.exec("PRAGMA max_page_count = " + std::to_string(pages + 2));

  const auto check = [](const Error& error) {
    CHECK(error.kind == ErrorKind::machine);
    CHECK(contains(error.message, "no space left for the database"));
  };
  const std::string large(1 << 20, 'x');
  check(error_of(builds.failed(build.id, large, at(1))));
  // In nested transactions, with a caller that swallows the error: nothing of the outer one may be committed alone.
  const Status outer = fixture.database().transaction([&]() -> Status {
    must(builds.begin("demo", nightly, "lost", at(2)));
    check(error_of(fixture.database().transaction([&] { return builds.failed(build.id, large, at(3)); })));
    const auto after = builds.begin("demo", nightly, "also lost", at(4));
    return after ? fail(ErrorKind::failed, "the caller gives up") : fail(after.error(), "after");
  });
  CHECK_FALSE(outer.has_value());

  sqlite.exec("PRAGMA max_page_count = 1000000");
  must(fixture.database().check());
  const auto left = must(builds.list("demo", 10));
  REQUIRE(left.size() == 1);
  CHECK(left[0].state == model::BuildState::pending);
  must(builds.failed(build.id, large, at(5)));  // and it goes on where there is space again
}

TEST_CASE("Database: a damaged file is an error that names it", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  {
    auto database = must(Database::open(path));
    for (int number = 0; number < 200; ++number) {
      must(BuildStore(database).begin("demo", nightly, "build " + std::to_string(number), at(number)));
    }
  }
  std::string bytes = must(read_file(path));
  for (std::size_t offset = 4096; offset < bytes.size(); ++offset) bytes[offset] = '\x5a';
  must(write_file_atomically(path, bytes));
  const auto database = Database::open(path);
  const Error error =
      database ? error_of(BuildStore(const_cast<Database&>(*database)).list("demo", 10)) : database.error();
  CHECK(contains(error.message, "is damaged"));
  CHECK(contains(error.message, path.string()));
  CHECK(error.kind == ErrorKind::damaged);
}

TEST_CASE("Database: a second connection writes beside the first, from a thread of its own", "[storage]") {
  const TemporaryDirectory folder;
  auto database = must(Database::open(folder / "tbci.sqlite"));
  auto another = must(Database::open(folder / "tbci.sqlite", Access::decisions));
  constexpr int builds = 50;
  const auto write = [](Database& through, const std::string& name) {
    for (int i = 0; i < builds; ++i) {
      const Status written = through.transaction([&]() -> Status {
        TBCI_TRY(BuildStore(through).begin("demo", nightly, name + std::to_string(i), at(i)));
        return {};
      });
      if (!written) return false;
    }
    return true;
  };
  bool other_wrote = false;
  {
    const std::jthread thread([&] { other_wrote = write(another, "other "); });
    CHECK(write(database, "own "));
  }
  CHECK(other_wrote);
  CHECK(must(BuildStore(database).list("demo", 1000)).size() == 2 * builds);
}

TEST_CASE("Database: a long migration says again and again that it goes on", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  {
    SQLite::Database sqlite(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    must(storage::migrate(sqlite, path, storage::embedded_migrations().first(9)));
    sqlite.exec(
        "INSERT INTO night (id, subject, name, baseline, stage, started_ms) VALUES (1, 'demo', 'n', '', 'done', 0);"
        "WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < 20000) "
        "INSERT INTO regression (night_id, series, verdict, pairs, reason, state) "
        "SELECT 1, 's' || n || '/cpu-infer/time', 'regression', 8, '', 'confirmed' FROM number");
  }
  int calls = 0;
  storage::OpenOptions options;
  options.while_migrating = [&calls] { ++calls; };
  must(Database::open(path, Access::read_write, options));
  CHECK(calls > 1);
  calls = 0;
  must(Database::open(path, Access::read_write, options));  // nothing to migrate
  CHECK(calls == 0);
}

}  // namespace tbci::database_test
