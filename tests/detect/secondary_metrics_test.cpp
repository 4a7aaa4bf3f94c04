#include "detect/secondary_metrics.hpp"

#include <vector>

#include "detect/screen.hpp"
#include "tests/catch.hpp"

namespace tbci::secondary_metrics_test {

using detect::compare_secondary;
using detect::Pair;
using model::Metric;
using model::Verdict;
using tbci::test::Approx;

namespace {
const model::Series instructions{"dlrm", model::Configuration::cpu_infer, Metric::instructions};
}

TEST_CASE("Secondary metrics: the change comes with its interval, and no size of it is a verdict", "[detect]") {
  const std::vector<Pair> pairs = {{1000, 2000}, {1001, 2001}, {999, 2000}, {1000, 1999}, {1002, 2003}};
  const auto finding = compare_secondary(instructions, pairs, {});
  CHECK(finding.verdict == Verdict::clear);
  CHECK(finding.before == 1000);
  CHECK(finding.after == 2000);
  CHECK(finding.change == Approx(1.0).epsilon(0.01));
  CHECK(finding.low < finding.change);
  CHECK(finding.high > finding.change);
  CHECK(finding.pairs == 5);
  CHECK(finding.reason == "shown beside the time: not judged by itself");
}

TEST_CASE("Secondary metrics: impossible values are left out, and without any pair it says so", "[detect]") {
  CHECK(compare_secondary(instructions, std::vector<Pair>{{0, 5}, {10, 11}}, {}).pairs == 1);
  const auto none = compare_secondary(instructions, {}, {});
  CHECK(none.pairs == 0);
  CHECK(none.reason == "no pair counted it");
  CHECK(none.verdict == Verdict::clear);
}

TEST_CASE("Secondary metrics: the screen suspects nothing for it", "[detect]") {
  const std::vector<double> before = {100, 100, 100}, after = {900, 900, 900};
  const auto finding = detect::screen(instructions, before, after, {});
  CHECK(finding.verdict == Verdict::clear);
  CHECK(finding.change == Approx(8));
  const model::Series time{"dlrm", model::Configuration::cpu_infer, Metric::time};
  CHECK(detect::screen(time, before, after, {}).verdict == Verdict::suspect);
}

}  // namespace tbci::secondary_metrics_test
