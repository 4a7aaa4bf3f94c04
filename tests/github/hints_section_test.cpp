#include "github/hints_section.hpp"

#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::hints_section_test {

using namespace tbci::github;

TEST_CASE("Report: says what the culprit added that a change would save", "[github]") {
  const std::string text = hints_section(test::added_hints());
  CHECK(text.find("### Hints\n\nWhat the culprit added to dlrm (cpu-train), ") == 0);
  CHECK(text.find("(3 processes each, in turn)") != std::string::npos);
  CHECK(text.find("| small calls in a row | aten.copy\\_.default | 18 (was 2) | 2.1% | do it in one call |\n") !=
        std::string::npos);
  CHECK(text.find("| page faults | aten.\\_embedding\\_bag.default | 8 | 1.5% | keep the memory |\n") !=
        std::string::npos);
}

TEST_CASE("Report: has no section for hints where the culprit added none", "[github]") {
  ReportFacts facts = test::culprit_facts();
  CHECK(make_report(facts).body.find("### Hints") != std::string::npos);
  facts.hints->hints.clear();
  CHECK(make_report(facts).body.find("### Hints") == std::string::npos);
  facts.hints.reset();
  CHECK(make_report(facts).body.find("### Hints") == std::string::npos);
}

TEST_CASE("Report: shows six hints at most, and no operator's name as markup", "[github]") {
  AddedHints added = test::added_hints();
  added.hints.assign(9, added.hints.front());
  for (AddedHint& hint : added.hints) hint.name = "<b>@all</b>|\n# x";
  const std::string text = hints_section(added);
  std::size_t rows = 0;
  for (std::size_t at = text.find("| small"); at != std::string::npos; at = text.find("| small", at + 1)) ++rows;
  CHECK(rows == 6);
  CHECK(text.find("\nand 3 smaller ones\n") != std::string::npos);
  CHECK(text.find("<b>") == std::string::npos);
  CHECK(text.find("\n# x") == std::string::npos);
}

}  // namespace tbci::hints_section_test
