#include "github/table_section.hpp"

#include "github/report_words.hpp"
#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::table_section_test {

using namespace tbci::github;
using model::Configuration;
using model::Metric;

namespace {

constexpr std::size_t enough = 60'000;

std::size_t place(const std::string& text, const std::string& row) {
  return text.find("\n| " + row);
}

std::size_t rows_in(const std::string& text) {
  std::size_t rows = 0;
  for (std::size_t at = text.find("\n| m"); at != std::string::npos; at = text.find("\n| m", at + 1)) ++rows;
  return rows;
}

std::vector<model::Finding> many(int count) {
  std::vector<model::Finding> findings;
  for (int i = 0; i < count; ++i) {
    findings.push_back(
        test::finding({fmt::format("m{:02}", i), Configuration::cpu_infer, Metric::time}, 1e6, 2e6 - 1e4 * i));
  }
  return findings;
}

}  // namespace

TEST_CASE("Report's table: ten rows are open, and those after them are folded", "[report]") {
  const ReportFacts facts;
  CHECK(table_section(facts, many(10), enough).find("<details>") == std::string::npos);
  const std::string text = table_section(facts, many(13), enough);
  const std::size_t fold = text.find("<details>\n<summary>3 more rows</summary>\n\n| benchmark |");
  REQUIRE(fold != std::string::npos);
  CHECK(place(text, "m09") < fold);
  CHECK(place(text, "m10") > fold);
  CHECK(place(text, "m12") != std::string::npos);
  CHECK(text.ends_with("\n</details>\n"));
}

TEST_CASE("Report's table: what does not fit is counted, in the open rows and in the folded ones", "[report]") {
  for (const std::size_t room : {500U, 1200U, 1500U, 2000U}) {
    INFO(room);
    const std::string text = table_section({}, many(40), room);
    CHECK(text.size() <= room);
    CHECK(text.find(fmt::format("\n{} of 40 rows are omitted.\n", 40 - rows_in(text))) != std::string::npos);
  }
}

TEST_CASE("Report's table: benchmarks whose time went to one operator stay together, the worst first", "[report]") {
  ReportFacts facts;
  facts.changed_most = {{"m00", "aten.mm.default"}, {"m02", "aten.copy_.default"}, {"m03", "aten.mm.default"}};
  const std::string text = table_section(facts, many(4), enough);
  CHECK(place(text, "m00") < place(text, "m03"));
  CHECK(place(text, "m03") < place(text, "m01"));
  CHECK(place(text, "m01") < place(text, "m02"));
  CHECK(text.find("| pairs | operator that changed most |\n") != std::string::npos);
  CHECK(text.find(
            "| m02 | cpu-infer | time | 1 ms | 1.98 ms | +98.0% | +96.0% to +100.0% | 10 | aten.copy\\_.default |") !=
        std::string::npos);
  CHECK(text.find("| 10 | - |\n") != std::string::npos);
}

TEST_CASE("Report's table: one benchmark's operator makes no group", "[report]") {
  ReportFacts facts;
  facts.changed_most = {{"m01", "aten.mm.default"}};
  const std::string text = table_section(facts, many(2), enough);
  CHECK(text.find("operator") == std::string::npos);
  CHECK(place(text, "m00") < place(text, "m01"));
}

}  // namespace tbci::table_section_test
