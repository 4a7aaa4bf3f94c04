#include "github/step_section.hpp"

#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::step_section_test {

using namespace tbci::github;

TEST_CASE("Report: says where the step lies, and the parts add up to it", "[github]") {
  const std::string text = step_section(test::step_split());
  INFO(text);
  CHECK(text.find(
            "### Where the step lies\n\nAn iteration of dlrm (cpu-train) took 12 ms on the parent and 15.7 ms on the "
            "culprit, recorded in 3 processes each, in turn. ") == 0);
  CHECK(text.find("**kernel**: aten.\\_embedding\\_bag.default takes longer in itself (92% of the step).\n") !=
        std::string::npos);
  CHECK(text.find("| kernel | aten.\\_embedding\\_bag.default | 8 | +3.40 ms | 92% |\n") != std::string::npos);
  CHECK(text.find("| overhead: launch | aten.copy\\_.default | 18 (was 2) | +500 us | 14% |\n") != std::string::npos);
  CHECK(text.find("| the rest | | | -200 us | -5% |\n") != std::string::npos);
}

TEST_CASE("Report: names no cause where no part explains the step, and is silent where there is none", "[github]") {
  model::StepSplit step = test::step_split();
  step.cause.reset();
  CHECK(step_section(step).find("No single part explains the step.\n") != std::string::npos);
  step.parts.clear();
  CHECK(step_section(step).empty());
  ReportFacts facts = test::culprit_facts();
  CHECK(make_report(facts).body.find("### Where the step lies") != std::string::npos);
  facts.step.reset();
  CHECK(make_report(facts).body.find("### Where the step lies") == std::string::npos);
}

TEST_CASE("Report: a step has eight parts at most, the others are in the rest, and no name is markup", "[github]") {
  model::StepSplit step = test::step_split();
  step.parts.assign(10, step.parts.back());
  for (model::StepPart& part : step.parts) part.name = "<b>@all</b>|\n# x";
  step.cause = step.parts.front();
  step.rest = -1.3e6;
  const std::string text = step_section(step);
  std::size_t rows = 0;
  for (std::size_t at = text.find("| overhead"); at != std::string::npos; at = text.find("| overhead", at + 1)) ++rows;
  CHECK(rows == 8);
  CHECK(text.find("| the rest | | | -300 us | -8% |\n") != std::string::npos);  // 3.7 ms less 8 of 0.5 ms
  CHECK(text.find("<b>") == std::string::npos);
  CHECK(text.find("\n# x") == std::string::npos);
}

}  // namespace tbci::step_section_test
