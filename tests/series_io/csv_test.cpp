#include "series_io/csv.hpp"

#include "tests/catch.hpp"

namespace tbci::csv_test {

using namespace tbci::series_io;

namespace {

using Cells = std::vector<std::string>;

std::string header_error(const std::string& row, const std::optional<Unit>& unit = {}) {
  const auto table = CsvTable::with_header(row, unit);
  REQUIRE_FALSE(table);
  return table.error().message;
}

Nights nights_of(const CsvTable& table, std::size_t series) {
  return std::get<Nights>(table.record(series).data);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("CSV: commas separate cells, and quotes keep a comma", "[series_io]") {
  CHECK(*cells_of("a, b ,,c") == Cells{"a", "b", "", "c"});
  CHECK(*cells_of("") == Cells{""});
  CHECK(*cells_of(R"("a,b", "say ""hi""" ,"")") == Cells{"a,b", "say \"hi\"", ""});
  CHECK(contains(cells_of(R"(1,"open)").error().message, "not closed"));
  CHECK(contains(cells_of(R"("a"b,1)").error().message, "'b' follows a quoted cell"));
}

TEST_CASE("CSV: each column is a series, and an empty cell a night without a value", "[series_io]") {
  auto table = CsvTable::with_header("time,dlrm/cpu-train/time,m/cpu-infer/cpu_leak", {});
  REQUIRE(table);
  REQUIRE(table->add("2026-01-06,10.5,-3"));
  REQUIRE(table->add("2026-01-07,,0"));
  REQUIRE(table->add("2026-01-08, +11e0 ,1"));
  REQUIRE(table->series() == 2);
  const Record first = table->record(0);
  CHECK(first.series == "dlrm/cpu-train/time");
  CHECK(first.unit.name == "ns");
  const auto& nights = std::get<Nights>(first.data);
  REQUIRE(nights.size() == 3);
  CHECK(nights[0].build == "2026-01-06");
  CHECK(nights[0].value == 10.5);
  CHECK_FALSE(nights[1].value);
  CHECK_FALSE(nights[1].is_problem);
  CHECK(nights[2].value == 11.0);
  const Record second = table->record(1);
  CHECK(second.metric == model::Metric::cpu_leak);
  CHECK(std::get<Nights>(second.data)[0].value == -3.0);
}

TEST_CASE("CSV: an impossible value makes only its cell unusable", "[series_io]") {
  auto table = CsvTable::with_header("time,a,b", *unit_from("ms"));
  REQUIRE(table);
  for (const char* cell : {"nan", "inf", "-inf", "0", "-1", "1e999"}) {
    REQUIRE(table->add(std::string("x,") + cell + ",5"));
  }
  for (const NightValue& night : nights_of(*table, 0)) {
    CHECK_FALSE(night.value);
    CHECK(night.is_problem);
  }
  for (const NightValue& night : nights_of(*table, 1)) CHECK(night.value == 5.0);
}

TEST_CASE("CSV: a row that does not fit is refused and leaves the table as it was", "[series_io]") {
  auto table = CsvTable::with_header("time,a,b", {});
  REQUIRE(table);
  REQUIRE(table->add("1,2,3"));
  CHECK(contains(table->add("1,2").error().message, "2 cells, but the header has 3"));
  CHECK(contains(table->add("1,2").error().message, "cut off?"));
  CHECK(contains(table->add("1,2,3,4").error().message, "4 cells"));
  CHECK(contains(table->add("1,2,three").error().message, "'three' in column 'b' is not a number"));
  CHECK(contains(table->add("1,2,3 ms").error().message, "'3 ms'"));
  CHECK(nights_of(*table, 1).size() == 1);
}

TEST_CASE("CSV: a header without series, with a column twice or of another unit is refused", "[series_io]") {
  CHECK(contains(header_error("time;a;b"), "with commas between"));
  CHECK(contains(header_error("time,a,"), "column 3 has no name"));
  CHECK(contains(header_error("time,a,a"), "two columns are named 'a'"));
  CHECK(contains(header_error("time,a/b/cpu_memory", *unit_from("ms")), "column 'a/b/cpu_memory'"));
}

TEST_CASE("CSV: the table is bounded", "[series_io]") {
  Limits small;
  small.cells = 4;
  auto table = CsvTable::with_header("time,a,b", {}, small);
  REQUIRE(table);
  REQUIRE(table->add("1,2,3"));
  REQUIRE(table->add("2,2,3"));
  CHECK(contains(table->add("3,2,3").error().message, "too large"));
}

}  // namespace tbci::csv_test
