#include "storage/statement_cache.hpp"

#include "storage/connection.hpp"
#include "storage/query.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::statement_cache_test {

using namespace tbci::test;
using storage::Query;

namespace {

const std::string three_rows = "SELECT value FROM json_each('[1, 2, 3]') WHERE value > ?";

}  // namespace

TEST_CASE("Statements: the second query of the same text uses the first one's statement, without its values") {
  Fixture fixture;
  auto& database = fixture.database();
  { REQUIRE(Query(database, three_rows).bind(2).next()); }
  const std::size_t known = database.connection().statements.size();
  {
    Query second(database, three_rows);
    CHECK(database.connection().statements.size() == known - 1);
    CHECK_FALSE(second.next());  // NULL: no value is left of the first one
  }
  CHECK(database.connection().statements.size() == known);
}

TEST_CASE("Statements: two queries of the same text run beside each other") {
  Fixture fixture;
  Query outer(fixture.database(), three_rows);
  outer.bind(0);
  int pairs = 0;
  while (outer.next()) {
    Query inner(fixture.database(), three_rows);
    inner.bind(1);
    while (inner.next()) ++pairs;
  }
  CHECK(pairs == 6);
}

TEST_CASE("Statements: a query that is left in the middle holds no lock") {
  Fixture fixture;
  auto& database = fixture.database();
  database.connection().sqlite.exec("CREATE TABLE scribble (id INTEGER)");
  { Query(database, "INSERT INTO scribble VALUES (1), (2)").execute(); }
  { REQUIRE(Query(database, "SELECT id FROM scribble").next()); }
  database.connection().sqlite.exec("DROP TABLE scribble");  // SQLite refuses this while a statement reads
}

TEST_CASE("Statements: one that failed works the next time") {
  Fixture fixture;
  auto& database = fixture.database();
  const std::string sql = "INSERT INTO environment (fingerprint, facts, first_seen_ms) VALUES (?, '{}', 1)";
  CHECK_THROWS(Query(database, sql).bind(std::optional<std::string>()).execute());  // the column is NOT NULL
  CHECK(Query(database, sql).bind("f").execute() == 1);
}

}  // namespace tbci::statement_cache_test
