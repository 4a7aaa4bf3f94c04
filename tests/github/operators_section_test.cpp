#include "github/operators_section.hpp"

#include "tests/catch.hpp"
#include "tests/github/facts.hpp"

namespace tbci::operators_section_test {

using namespace tbci::github;
using tbci::test::culprit_facts;

TEST_CASE("Report: lists the changed operators with their share of the change, and the rest in one row", "[github]") {
  ReportFacts facts = culprit_facts();
  const std::string body = make_report(facts).body;
  CHECK(body.find("\n| aten.\\_embedding\\_bag.default | 900 us | 4.50 ms | +3.60 ms | 97% | 8 |\n") !=
        std::string::npos);
  CHECK(body.find("| +250 us | 7% | 18 (was 2) |\n") != std::string::npos);
  CHECK(body.find("| -150 us | -4% | 30 |\n") != std::string::npos);
  CHECK(body.find("\n| all others | | | +0 ns | 0% | |\n") != std::string::npos);  // 3.6 + 0.25 - 0.15 = 3.7

  facts.operators->after = facts.operators->before;  // the shares of no change would mean nothing
  CHECK(make_report(facts).body.find("| +3.60 ms | - | 8 |") != std::string::npos);
  facts.operators->changed.clear();
  CHECK(make_report(facts).body.find("No operator changed") != std::string::npos);
  facts.operators.reset();
  CHECK(make_report(facts).body.find("Operators that changed") == std::string::npos);
}

TEST_CASE("Report: says of a profile on a GPU whose times those are", "[github]") {
  ReportFacts facts = culprit_facts();
  facts.operators->measured.configuration = model::Configuration::gpu_infer;
  CHECK(make_report(facts).body.find(
            "Times are of the GPU's work, by the operator that launched it; in (in no operator) it had no work.") !=
        std::string::npos);
}

TEST_CASE("Report: shows at most a dozen operators and sums up the others", "[github]") {
  ReportFacts facts = culprit_facts();
  facts.operators->changed.assign(40, facts.operators->changed.back());
  const std::string body = make_report(facts).body;
  std::size_t rows = 0;
  for (std::size_t at = body.find("| aten.mm"); at != std::string::npos; at = body.find("| aten.mm", at + 1)) ++rows;
  CHECK(rows == 12);
  CHECK(body.find("| all others | | | +5.50 ms |") != std::string::npos);  // 3.7 + 12 * 0.15
}

}  // namespace tbci::operators_section_test
