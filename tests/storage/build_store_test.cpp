#include "storage/build_store.hpp"

#include "tests/storage/stores.hpp"

namespace tbci::build_store_test {

using namespace tbci::test;
using model::BuildKind;
using model::BuildState;
using storage::BuildStore;

namespace {

model::Product product() {
  return {"lib/torch",       {"kernels one.so", "päckchen \"two\".so"},
          "venv/bin/python", std::string(40, 'a'),
          "2.13.0+cpu",      "products/päckchen/folder"};
}

}  // namespace

TEST_CASE("BuildStore: a build goes through its states and survives a reopening", "[storage]") {
  Fixture fixture;
  const auto begun = must(BuildStore(fixture.database()).begin("demo", BuildKind::nightly, "2026-01-05", at(1)));
  CHECK(begun.subject == "demo");
  CHECK(begun.kind == BuildKind::nightly);
  CHECK(begun.name == "2026-01-05");
  CHECK(begun.state == BuildState::pending);
  CHECK(begun.started == at(1));
  CHECK_FALSE(begun.finished.has_value());

  must(BuildStore(fixture.database()).ready(begun.id, product(), at(2)));
  fixture.reopen();
  BuildStore builds(fixture.database());
  const auto ready = must(builds.get(begun.id));
  CHECK(ready.state == BuildState::ready);
  CHECK(ready.product == product());
  CHECK(ready.finished == at(2));

  must(builds.failed(begun.id, "error: expected ';'", at(3)));
  const auto failed = must(builds.get(begun.id));
  CHECK(failed.state == BuildState::failed);
  CHECK(failed.failure == "error: expected ';'");
  model::Product only_commit;
  only_commit.commit = product().commit;  // a search between commits needs no more
  CHECK(failed.product == only_commit);

  must(builds.forget(begun.id));
  const auto forgotten = must(builds.get(begun.id));
  CHECK(forgotten.state == BuildState::pending);
  CHECK(forgotten.failure.empty());
  CHECK_FALSE(forgotten.finished.has_value());
}

TEST_CASE("BuildStore: beginning a build twice gives the stored build", "[storage]") {
  Fixture fixture;
  BuildStore builds(fixture.database());
  const auto first = must(builds.begin("demo", BuildKind::commit, "abc", at(1)));
  must(builds.ready(first.id, product(), at(2)));
  const auto again = must(builds.begin("demo", BuildKind::commit, "abc", at(9)));
  CHECK(again.id == first.id);
  CHECK(again.state == BuildState::ready);
  CHECK(again.started == at(1));
  CHECK(must(builds.begin("demo", BuildKind::nightly, "abc", at(9))).id != first.id);
  CHECK(must(builds.begin("other", BuildKind::commit, "abc", at(9))).id != first.id);
}

TEST_CASE("BuildStore: finds by name, lists the latest first", "[storage]") {
  Fixture fixture;
  BuildStore builds(fixture.database());
  for (int number = 0; number < 3; ++number) {
    must(builds.begin("demo", BuildKind::commit, std::to_string(number), at(number)));
  }
  CHECK(must(builds.find("demo", BuildKind::commit, "1"))->name == "1");
  CHECK_FALSE(must(builds.find("demo", BuildKind::nightly, "1")).has_value());
  const auto latest = must(builds.list("demo", 2));
  REQUIRE(latest.size() == 2);
  CHECK(latest[0].name == "2");
  CHECK(latest[1].name == "1");
}

TEST_CASE("BuildStore: attempts that were killed are counted over restarts, until one succeeds or is forgotten",
          "[storage]") {
  Fixture fixture;
  const auto id = must(BuildStore(fixture.database()).begin("demo", BuildKind::commit, "abc", at(1))).id;
  const auto other = must(BuildStore(fixture.database()).begin("demo", BuildKind::commit, "def", at(1))).id;
  CHECK(must(BuildStore(fixture.database()).killed(id)) == 1);
  fixture.reopen();
  BuildStore builds(fixture.database());
  CHECK(must(builds.killed(id)) == 2);
  CHECK(must(builds.killed(other)) == 1);
  must(builds.ready(id, product(), at(2)));
  CHECK(must(builds.killed(id)) == 1);
  must(builds.forget(id));
  CHECK(must(builds.killed(id)) == 1);
  CHECK(contains(error_of(builds.killed(17)).message, "there is no build 17"));
}

TEST_CASE("BuildStore: an unknown build is an error", "[storage]") {
  Fixture fixture;
  BuildStore builds(fixture.database());
  CHECK(contains(error_of(builds.get(17)).message, "there is no build 17"));
  CHECK(contains(error_of(builds.ready(17, product(), at(0))).message, "there is no build 17"));
  CHECK_FALSE(builds.failed(17, "", at(0)).has_value());
  CHECK_FALSE(builds.forget(17).has_value());
}

TEST_CASE("BuildStore: the libraries of a build are kept, and forgotten with its product", "[storage]") {
  Fixture fixture;
  const std::map<std::string, std::string> libraries = {{"library.openmp", "libgomp.so.1 3f2a"}, {"mkl", "\"new\""}};
  const auto build = must(BuildStore(fixture.database()).begin("demo", BuildKind::nightly, "2026-01-05", at(1)));
  CHECK(build.libraries.empty());
  must(BuildStore(fixture.database()).ready(build.id, product(), at(2)));
  must(BuildStore(fixture.database()).loaded(build.id, libraries));
  fixture.reopen();
  BuildStore builds(fixture.database());
  CHECK(must(builds.get(build.id)).libraries == libraries);
  // Bytes that are not UTF-8 come from a file's name: they must not keep a run from beginning.
  must(builds.loaded(build.id, {{"mkl", "\xff"}}));
  CHECK(must(builds.get(build.id)).libraries.at("mkl") == "\xef\xbf\xbd");
  must(builds.ready(build.id, product(), at(3)));
  CHECK(must(builds.get(build.id)).libraries.empty());
  CHECK(contains(error_of(builds.loaded(77, libraries)).message, "there is no build 77"));
}

TEST_CASE("BuildStore: a row that another program has spoiled is an error that names it", "[storage]") {
  Fixture fixture;
  BuildStore builds(fixture.database());
  const auto build = must(builds.begin("demo", BuildKind::commit, "abc", at(1)));
  const auto complaint = [&](const std::string& change) {
    fixture.tamper("UPDATE build SET " + change);
    const std::string message = error_of(builds.get(build.id)).message;
    fixture.tamper("UPDATE build SET state = 'pending', preload = '[]'");
    return message;
  };
  CHECK(contains(complaint("state = 'sleeping'"), "row 1 of table build"));
  CHECK(contains(complaint("state = 'sleeping'"), "'sleeping'"));
  CHECK(contains(complaint("preload = '[1, 2'"), "preload"));
  CHECK(contains(complaint("preload = '{\"a\": 1}'"), "preload"));
  CHECK(contains(complaint("preload = '[1]'"), "preload"));
  CHECK(contains(complaint("libraries = '[]'"), "libraries"));
  fixture.tamper("UPDATE build SET libraries = '{}'");
  must(builds.get(build.id));
}

TEST_CASE("Schema: the constraints refuse unknown states and dangling references", "[storage]") {
  Fixture fixture;
  must(BuildStore(fixture.database()).begin("demo", BuildKind::commit, "abc", at(1)));
  SQLite::Database other(fixture.path().string(), SQLite::OPEN_READWRITE, 1000);
  other.exec("PRAGMA foreign_keys = ON");
  CHECK_THROWS_AS(other.exec("UPDATE build SET state = 'sleeping'"), SQLite::Exception);
  CHECK_THROWS_AS(other.exec("UPDATE build SET started_ms = 'yesterday'"), SQLite::Exception);
  CHECK_THROWS_AS(other.exec("INSERT INTO delivery (report_id, channel, state, next_attempt_ms) "
                             "VALUES (9, 'folder', 'pending', 0)"),
                  SQLite::Exception);
}

}  // namespace tbci::build_store_test
