// docs/database.md against the schema.
#include <SQLiteCpp/SQLiteCpp.h>

#include <map>
#include <set>
#include <sstream>

#include "base/file.hpp"
#include "storage/database.hpp"
#include "tests/storage/stores.hpp"

namespace tbci::schema_document_test {

using namespace tbci::test;

namespace {

using Tables = std::map<std::string, std::set<std::string>>;  // columns by table

Tables tables_of(const std::filesystem::path& path) {
  SQLite::Database sqlite(path.string());
  SQLite::Statement rows(sqlite,
                         "SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c "
                         "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'");
  Tables tables;
  while (rows.executeStep()) tables[rows.getColumn(0).getString()].insert(rows.getColumn(1).getString());
  return tables;
}

/// The names in backticks at the front of a text: of "`a`, `b`: meaning" a and b.
std::vector<std::string> leading_names(std::string_view text) {
  std::vector<std::string> names;
  while (text.starts_with('`')) {
    const std::size_t end = text.find('`', 1);
    if (end == std::string_view::npos) break;
    names.emplace_back(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
    if (text.starts_with(", ")) text.remove_prefix(2);
    while (text.starts_with(' ')) text.remove_prefix(1);
  }
  return names;
}

/// Headings "### `table`" with a list of columns below: "- `a`, `b`: meaning". An entry may go on in the next line.
Tables described_tables(const std::string& document) {
  Tables tables;
  std::string table, entry;
  const auto finish_entry = [&] {
    for (const std::string& name : leading_names(entry)) tables[table].insert(name);
    entry.clear();
  };
  std::istringstream lines(document);
  for (std::string line; std::getline(lines, line);) {
    if (!entry.empty() && line.starts_with("  ")) {
      entry += line.substr(1);
      continue;
    }
    finish_entry();
    if (line.starts_with("#")) table.clear();
    if (line.starts_with("### `")) tables[table = leading_names(line.substr(4)).at(0)];
    if (!table.empty() && line.starts_with("- `")) entry = line.substr(2);
  }
  finish_entry();
  return tables;
}

/// What is in the document and not in the schema, and the other way round.
std::vector<std::string> differences(const Tables& described, const Tables& schema) {
  std::vector<std::string> found;
  const auto missing = [&](const Tables& from, const Tables& in, const std::string& where) {
    for (const auto& [table, columns] : from) {
      const auto other = in.find(table);
      if (other == in.end()) {
        found.push_back(table + " is not in the " + where);
        continue;
      }
      for (const std::string& column : columns) {
        if (!other->second.contains(column)) found.push_back(table + "." + column + " is not in the " + where);
      }
    }
  };
  missing(described, schema, "schema");
  missing(schema, described, "document");
  return found;
}

/// The queries of the examples: "sqlite3 ... "SELECT ..."", indented by four spaces.
std::vector<std::string> queries_of(const std::string& document) {
  std::vector<std::string> queries;
  for (std::size_t at = document.find("\n    sqlite3 "); at != std::string::npos;
       at = document.find("\n    sqlite3 ", at + 1)) {
    const std::size_t line_end = document.find('\n', at + 1);
    const std::size_t begin = document.find('"', at);
    if (begin == std::string::npos || begin > line_end) continue;
    queries.push_back(document.substr(begin + 1, document.find('"', begin + 1) - begin - 1));
  }
  return queries;
}

std::string document() {
  return must(read_file(std::filesystem::path(TBCI_SOURCE_DIR) / "docs" / "database.md"));
}

}  // namespace

TEST_CASE("Schema document: it describes the tables and columns of the schema, all of them and no others",
          "[storage]") {
  const Fixture fixture;
  const Tables schema = tables_of(fixture.path());
  REQUIRE(schema.contains("measurement"));
  const Tables described = described_tables(document());
  REQUIRE(described.contains("measurement"));
  CHECK(differences(described, schema) == std::vector<std::string>{});
}

TEST_CASE("Schema document: its example queries fit the schema", "[storage]") {
  const Fixture fixture;
  SQLite::Database sqlite(fixture.path().string());
  const auto queries = queries_of(document());
  CHECK(queries.size() == 3);
  for (const std::string& query : queries) {
    INFO(query);
    CHECK_NOTHROW(SQLite::Statement(sqlite, query));
  }
}

TEST_CASE("Schema document: the comparison finds missing and unknown tables and columns", "[storage]") {
  const Tables described = described_tables(
      "# Page\n- `not_a_column`: above the tables.\n### `a`\n- `x`, `y`,\n  `z`: three.\n- `w`\n\n## Next\n- `file`\n");
  CHECK(described == Tables{{"a", {"w", "x", "y", "z"}}});
  CHECK(differences(described, {{"a", {"w", "x", "y", "z"}}}).empty());
  CHECK(differences(described, {{"a", {"w", "x", "y"}}}).size() == 1);
  CHECK(differences(described, {{"a", {"v", "w", "x", "y", "z"}}}).size() == 1);
  CHECK(differences(described, {{"a", {"w", "x", "y", "z"}}, {"b", {}}}).size() == 1);
  CHECK(differences(described, {}).size() == 1);
}

}  // namespace tbci::schema_document_test
