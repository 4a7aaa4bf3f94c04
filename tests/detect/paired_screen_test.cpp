#include "detect/paired_screen.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::paired_screen_test {

using detect::Pair;
using detect::PairedScreen;
using model::Metric;
using model::Verdict;

namespace {

constexpr double mib = 1024.0 * 1024.0;

model::Series series(Metric metric) {
  return {"dlrm", model::Configuration::cpu_train, metric};
}

PairedScreen judged(Metric metric, const std::vector<Pair>& pairs) {
  return detect::screen_pairs(series(metric), pairs, {}, {});
}

// Pairs whose ratios are these, on a machine that is slower by a tenth from pair to pair.
std::vector<Pair> drifting(const std::vector<double>& ratios) {
  std::vector<Pair> pairs;
  double level = 100;
  for (const double ratio : ratios) {
    pairs.push_back({level, level * ratio});
    level *= 1.1;
  }
  return pairs;
}

}  // namespace

TEST_CASE("Paired screen: what moves both processes of a pair is not suspected", "[detect]") {
  const PairedScreen screen = judged(Metric::time, drifting({1.001, 0.999, 1.002}));
  CHECK(screen.finding.verdict == Verdict::clear);
  CHECK(screen.decided);
  CHECK(screen.finding.change == test::Approx(0.001));
}

TEST_CASE("Paired screen: three pairs within a third of the threshold decide, two or a wider one do not", "[detect]") {
  const double limit = std::pow(1.07, 1.0 / 3);  // a third of the logarithm
  CHECK_FALSE(judged(Metric::time, drifting({1, 1})).decided);
  CHECK(judged(Metric::time, drifting({1, limit * 0.9999, 1 / limit * 1.0001})).decided);
  CHECK_FALSE(judged(Metric::time, drifting({1, limit * 1.0001, 1})).decided);
  CHECK_FALSE(judged(Metric::time, drifting({1, 1, 1 / limit * 0.9999})).decided);
}

TEST_CASE("Paired screen: from five pairs on the interval of the median decides, and ten pairs do in any case",
          "[detect]") {
  const PairedScreen above = judged(Metric::time, drifting({1.09, 1.10, 1.11, 1.08, 1.12}));
  CHECK(above.finding.verdict == Verdict::suspect);
  CHECK(above.decided);
  const PairedScreen below = judged(Metric::time, drifting({1.0, 1.03, 0.98, 1.01, 0.97}));
  CHECK(below.finding.verdict == Verdict::clear);
  CHECK(below.decided);
  std::vector<double> astride = {0.95, 1.10, 1.02, 1.08, 0.99, 1.09};
  CHECK_FALSE(judged(Metric::time, drifting(astride)).decided);
  for (const double more : {0.96, 1.11, 0.97, 1.12}) astride.push_back(more);
  CHECK(judged(Metric::time, drifting(astride)).decided);
}

TEST_CASE("Paired screen: one wild pair moves no verdict, and improvements are suspects as well", "[detect]") {
  CHECK(judged(Metric::time, drifting({1.0, 1.0, 1.6, 1.01, 0.99})).finding.verdict == Verdict::clear);
  CHECK(judged(Metric::time, drifting({0.9, 0.91, 0.89, 0.9, 0.9})).finding.verdict == Verdict::suspect);
  CHECK(judged(Metric::time, drifting({0.9, 0.91, 0.89})).finding.change == test::Approx(-0.1));
}

TEST_CASE("Paired screen: memory must change by the ratio and by the floor", "[detect]") {
  const auto three = [](double before, double after) { return std::vector<Pair>(3, Pair{before, after}); };
  CHECK(judged(Metric::cpu_memory, three(400 * mib, 440 * mib)).finding.verdict == Verdict::suspect);
  CHECK(judged(Metric::cpu_memory, three(40 * mib, 46 * mib)).finding.verdict == Verdict::clear);
  CHECK(judged(Metric::gpu_memory, three(4000 * mib, 4080 * mib)).finding.verdict == Verdict::clear);
}

TEST_CASE("Paired screen: a leak is decided by its first pair, a secondary metric always", "[detect]") {
  const Pair leaking{0, 4096, model::Interval{-8, 8}, model::Interval{4000, 4200}};
  const PairedScreen leak = judged(Metric::cpu_leak, {leaking});
  CHECK(leak.decided);
  CHECK(leak.finding.verdict == Verdict::suspect);
  const PairedScreen instructions = judged(Metric::instructions, {{100, 200}});
  CHECK(instructions.decided);
  CHECK(instructions.finding.verdict == Verdict::clear);
}

TEST_CASE("Paired screen: no pairs and impossible values are inconclusive", "[detect]") {
  CHECK(judged(Metric::time, {}).finding.verdict == Verdict::inconclusive);
  CHECK_FALSE(judged(Metric::time, {}).decided);
  for (const double bad : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    const PairedScreen screen = judged(Metric::time, {{100, 100}, {100, bad}});
    CHECK(screen.finding.verdict == Verdict::inconclusive);
    CHECK(screen.finding.reason.find("impossible") != std::string::npos);
  }
}

}  // namespace tbci::paired_screen_test
