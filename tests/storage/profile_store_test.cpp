#include "storage/profile_store.hpp"

#include "storage/build_store.hpp"
#include "storage/migrate.hpp"
#include "storage/run_store.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::profile_store_test {

using namespace tbci::test;
using std::chrono::nanoseconds;
using storage::ProfileStore;

namespace {

const model::Case dlrm = {"dlrm", model::Configuration::cpu_train};

model::OperatorProfile profile(model::Case measured = dlrm) {
  model::OperatorProfile made;
  made.measured = std::move(measured);
  made.started = at(5);
  made.iterations = 10;
  made.iteration = nanoseconds(8'000'000);
  made.outside = nanoseconds(300'000);
  made.profiler = nanoseconds(12'345);
  made.operators = {{"aten.relu_.default", 4, nanoseconds(700'000)}, {"aten.mm.default", 12, nanoseconds(7'000'000)}};
  return made;
}

struct Setting : Fixture {
  std::int64_t build(const std::string& name) {
    return must(storage::BuildStore(database()).begin("demo", model::BuildKind::commit, name, at(0))).id;
  }
  std::int64_t run(const std::string& key) {
    return must(storage::RunStore(database())
                    .begin({.subject = "demo", .key = key, .purpose = model::Purpose::manual, .runner = "this"},
                           model::Environment{{{"cpu", "x"}}}, at(0)))
        .id;
  }
};

}  // namespace

TEST_CASE("ProfileStore: what was kept comes back after a restart, the most expensive operator first", "[storage]") {
  Setting setting;
  const model::Place place{.run_id = setting.run("operators/1-2"), .build_id = setting.build("abc"), .ordinal = 3};
  must(ProfileStore(setting.database()).add(place, profile()));
  setting.reopen();
  const auto stored = must(ProfileStore(setting.database()).profiles(place.run_id, place.build_id, dlrm));
  REQUIRE(stored.size() == 1);
  CHECK(stored[0].place.run_id == place.run_id);
  CHECK(stored[0].place.build_id == place.build_id);
  CHECK(stored[0].place.ordinal == 3);
  const model::OperatorProfile& back = stored[0].profile;
  CHECK(back.measured == dlrm);
  CHECK(back.started == at(5));
  CHECK(back.iterations == 10);
  CHECK(back.iteration == nanoseconds(8'000'000));
  CHECK(back.outside == nanoseconds(300'000));
  CHECK(back.profiler == nanoseconds(12'345));
  REQUIRE(back.operators.size() == 2);
  CHECK(back.operators[0].name == "aten.mm.default");
  CHECK(back.operators[0].calls == 12);
  CHECK(back.operators[0].self == nanoseconds(7'000'000));
  CHECK(back.operators[1].name == "aten.relu_.default");
}

TEST_CASE("ProfileStore: runs, builds and cases are apart, and processes are in order", "[storage]") {
  Setting setting;
  ProfileStore store(setting.database());
  const auto run = setting.run("a"), other_run = setting.run("b");
  const auto build = setting.build("abc"), other_build = setting.build("def");
  const model::Case other_case = {"dlrm", model::Configuration::cpu_infer};
  for (const int ordinal : {1, 0}) must(store.add({.run_id = run, .build_id = build, .ordinal = ordinal}, profile()));
  must(store.add({.run_id = other_run, .build_id = build, .ordinal = 0}, profile()));
  must(store.add({.run_id = run, .build_id = other_build, .ordinal = 0}, profile()));
  must(store.add({.run_id = run, .build_id = build, .ordinal = 0}, profile(other_case)));
  const auto stored = must(store.profiles(run, build, dlrm));
  REQUIRE(stored.size() == 2);
  CHECK(stored[0].place.ordinal == 0);
  CHECK(stored[1].place.ordinal == 1);
  CHECK(must(store.profiles(run, build, other_case)).size() == 1);
  CHECK(must(store.profiles(run, build, {"gone", model::Configuration::cpu_train})).empty());
}

TEST_CASE("ProfileStore: a second profile in the same place is refused, and no part of a profile is stored",
          "[storage]") {
  Setting setting;
  ProfileStore store(setting.database());
  const model::Place place{.run_id = setting.run("a"), .build_id = setting.build("abc"), .ordinal = 0};
  must(store.add(place, profile()));
  model::OperatorProfile second = profile();
  second.iteration = nanoseconds(1);
  CHECK(contains(error_of(store.add(place, second)).message, "never overwritten"));
  CHECK(must(store.profiles(place.run_id, place.build_id, dlrm))[0].profile.iteration == nanoseconds(8'000'000));

  const model::Place next{.run_id = place.run_id, .build_id = place.build_id, .ordinal = 1};
  model::OperatorProfile twice = profile();
  twice.operators.push_back(twice.operators.front());
  CHECK_FALSE(store.add(next, twice).has_value());
  CHECK(must(store.profiles(place.run_id, place.build_id, dlrm)).size() == 1);
  must(setting.database().check());
}

TEST_CASE("ProfileStore: a hundred operators of a process take little room, names are kept once", "[storage]") {
  Setting setting;
  ProfileStore store(setting.database());
  model::OperatorProfile large = profile();
  large.operators.clear();
  for (int i = 0; i < 100; ++i)
    large.operators.push_back({fmt::format("aten.some_long_operator_{}.default", i), 20, nanoseconds(1'000'000 + i)});
  const auto run = setting.run("a"), build = setting.build("abc");
  SQLite::Database reader(setting.path().string(), SQLite::OPEN_READONLY);
  const auto bytes = [&] {
    return reader.execAndGet("SELECT sum(pgsize) FROM dbstat WHERE name IN ('operator_time', 'profile')").getInt64();
  };
  constexpr int processes = 50;
  for (int ordinal = 0; ordinal < processes; ++ordinal)
    must(store.add({.run_id = run, .build_id = build, .ordinal = ordinal}, large));
  CHECK(reader.execAndGet("SELECT count(*) FROM profiled_operator").getInt() == 100);
  INFO(bytes() / processes << " bytes a process");
  CHECK(bytes() / processes < 2500);
}

TEST_CASE("ProfileStore: a row that another program has spoiled is an error that names it", "[storage]") {
  Setting setting;
  ProfileStore store(setting.database());
  const model::Place place{.run_id = setting.run("a"), .build_id = setting.build("abc"), .ordinal = 0};
  must(store.add(place, profile()));
  setting.tamper("UPDATE profile SET iterations = 99999999999");
  const Error error = error_of(store.profiles(place.run_id, place.build_id, dlrm));
  CHECK(contains(error.message, "damaged row 1 of table profile"));
}

TEST_CASE("Migration 3: what a database of version 2 holds is still there, and profiles can be added", "[storage]") {
  const TemporaryDirectory folder;
  const auto path = folder / "tbci.sqlite";
  {
    SQLite::Database sqlite(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    must(storage::migrate(sqlite, path, storage::embedded_migrations().first(2)));
    sqlite.exec(
        "INSERT INTO build (subject, kind, name, state, started_ms) VALUES ('demo', 'commit', 'abc', 'ready', 1)");
    sqlite.exec("INSERT INTO environment VALUES ('f', '{}', 1)");
    sqlite.exec(
        "INSERT INTO run (subject, key, purpose, runner, environment, started_ms) "
        "VALUES ('demo', 'k', 'manual', 'this', 'f', 1)");
  }
  auto database = must(storage::Database::open(path));
  must(database.check());
  CHECK(must(storage::BuildStore(database).list("demo", 10)).size() == 1);
  must(ProfileStore(database).add({.run_id = 1, .build_id = 1, .ordinal = 0}, profile()));
  CHECK(must(ProfileStore(database).profiles(1, 1, dlrm)).size() == 1);
}

}  // namespace tbci::profile_store_test
