#include "detect/confirm.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::confirm_test {

using tbci::detect::confirm;
using tbci::detect::Judgement;
using tbci::detect::Pair;
using tbci::detect::Thresholds;
using tbci::model::Configuration;
using tbci::model::Metric;
using tbci::model::Series;
using tbci::model::Verdict;
using tbci::test::Approx;

namespace {
constexpr double mib = 1024.0 * 1024.0;

Series series(Metric metric) {
  return {"dlrm", Configuration::cpu_train, metric};
}

std::vector<Pair> equal_pairs(int count, double before, double after) {
  return std::vector<Pair>(static_cast<std::size_t>(count), Pair{before, after});
}

struct Noise {
  double run = 0.02;
  double slow_share = 0;
  double slow_factor = 1.4;
};

/// Asks for pairs until it is decided, as the pipeline does.
class Machine {
 public:
  explicit Machine(unsigned seed) : random_(seed) {}

  Judgement decide(double factor, const Noise& noise, const Thresholds& thresholds = {}) {
    std::vector<Pair> pairs;
    Judgement judgement = confirm(series(Metric::time), pairs, thresholds);
    while (judgement.pairs_wanted > 0) {
      for (int i = 0; i < judgement.pairs_wanted; ++i) pairs.push_back({run(1, noise), run(factor, noise)});
      judgement = confirm(series(Metric::time), pairs, thresholds);
    }
    return judgement;
  }

 private:
  double run(double factor, const Noise& noise) {
    const double value = 1e6 * factor * std::exp(noise.run * gaussian_(random_));
    return uniform_(random_) < noise.slow_share ? value * noise.slow_factor : value;
  }
  std::mt19937_64 random_;
  std::normal_distribution<double> gaussian_;
  std::uniform_real_distribution<double> uniform_;
};
}  // namespace

TEST_CASE("Confirmation: estimate and interval are SciPy's, with one wild pair among twelve", "[detect]") {
  // SciPy 1.17.1: expm1 of stats.trim_mean(d, 0.2), and of it minus and plus stats.t.isf(1e-3, 7) standard errors from
  // stats.ttest_ind(d, zeros, trim=0.2, equal_var=False), d the differences of the logarithms.
  const std::vector<double> before = {100, 101, 99, 100.5, 102, 98.7, 100.2, 99.6, 101.3, 100.1, 99.9, 100.4};
  const std::vector<double> factor = {1.152, 1.148, 1.149, 1.151, 1.3, 1.15, 1.147, 1.153, 1.15, 1.146, 1.154, 1.151};
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < before.size(); ++i) pairs.push_back({before[i], before[i] * factor[i]});
  const Judgement judgement = confirm(series(Metric::time), pairs, {});
  CHECK(judgement.pairs_wanted == 0);
  CHECK(judgement.finding.verdict == Verdict::regression);
  CHECK(judgement.finding.change == Approx(0.1504990221628759).epsilon(1e-9));
  CHECK(judgement.finding.low == Approx(0.14631342348502688).epsilon(1e-9));
  CHECK(judgement.finding.high == Approx(0.1546999039525973).epsilon(1e-9));
  CHECK(judgement.finding.pairs == 12);
}

TEST_CASE("Confirmation: begins with the first pairs and says how many are lacking", "[detect]") {
  CHECK(confirm(series(Metric::time), {}, {}).pairs_wanted == 8);
  const auto five = confirm(series(Metric::time), equal_pairs(5, 100, 120), {});
  CHECK(five.pairs_wanted == 3);
  CHECK(five.finding.verdict == Verdict::suspect);
  CHECK(confirm(series(Metric::cpu_memory), {}, {}).pairs_wanted == 6);
}

TEST_CASE("Confirmation: equal samples are decided at once, by the threshold", "[detect]") {
  CHECK(confirm(series(Metric::time), equal_pairs(8, 100, 120), {}).finding.verdict == Verdict::regression);
  CHECK(confirm(series(Metric::time), equal_pairs(8, 120, 100), {}).finding.verdict == Verdict::improvement);
  CHECK(confirm(series(Metric::time), equal_pairs(8, 100, 100), {}).finding.verdict == Verdict::clear);
  CHECK(confirm(series(Metric::time), equal_pairs(8, 100, 105), {}).finding.verdict == Verdict::clear);
}

TEST_CASE("Confirmation: thresholds are the caller's", "[detect]") {
  Thresholds thresholds;
  thresholds.relative = 0.03;
  CHECK(confirm(series(Metric::time), equal_pairs(8, 100, 105), thresholds).finding.verdict == Verdict::regression);
  thresholds.relative = 0.3;
  CHECK(confirm(series(Metric::time), equal_pairs(8, 100, 120), thresholds).finding.verdict == Verdict::clear);
}

TEST_CASE("Confirmation: nothing is called a regression on unchanged builds, slow processes and all", "[detect]") {
  Machine machine(11);
  for (int day = 0; day < 2000; ++day) {
    CHECK(machine.decide(1, {0.03, 0.02}).finding.verdict != Verdict::regression);
  }
}

TEST_CASE("Confirmation: a step of 10% is found, one of 3% is not filed", "[detect]") {
  Machine machine(12);
  int found = 0, filed = 0;
  for (int day = 0; day < 500; ++day) {
    found += machine.decide(1.10, {0.02}).finding.verdict == Verdict::regression ? 1 : 0;
    filed += machine.decide(1.03, {0.02}).finding.verdict == Verdict::regression ? 1 : 0;
  }
  CHECK(found >= 499);  // the simulation of the thresholds: 100.0%
  CHECK(filed == 0);
}

TEST_CASE("Confirmation: ends at the most pairs, at worst without an answer", "[detect]") {
  Machine machine(13);
  Thresholds thresholds;
  thresholds.most_pairs = 18;  // not first + a multiple of more: the last step is shorter
  int inconclusive = 0;
  for (int day = 0; day < 100; ++day) {
    const Judgement judgement = machine.decide(1.07, {0.05}, thresholds);
    CHECK(judgement.finding.pairs <= 18);
    inconclusive += judgement.finding.verdict == Verdict::inconclusive ? 1 : 0;
    if (judgement.finding.verdict == Verdict::inconclusive) CHECK(judgement.finding.pairs == 18);
  }
  CHECK(inconclusive > 50);
}

TEST_CASE("Confirmation: memory needs the ratio and the floor", "[detect]") {
  const Metric metric = Metric::cpu_memory;
  CHECK(confirm(series(metric), equal_pairs(6, 800 * mib, 864 * mib), {}).finding.verdict == Verdict::regression);
  CHECK(confirm(series(metric), equal_pairs(6, 864 * mib, 800 * mib), {}).finding.verdict == Verdict::improvement);
  CHECK(confirm(series(metric), equal_pairs(6, 60 * mib, 70 * mib), {}).finding.verdict == Verdict::clear);
  CHECK(confirm(series(metric), equal_pairs(6, 8000 * mib, 8100 * mib), {}).finding.verdict == Verdict::clear);
}

TEST_CASE("Confirmation: a leak from nothing is a regression, a growth that jitters around 0 is clear", "[detect]") {
  const Metric metric = Metric::cpu_leak;
  const auto leak = confirm(series(metric), equal_pairs(6, 0, 65536), {});
  CHECK(leak.finding.verdict == Verdict::regression);
  CHECK(std::isinf(leak.finding.change));
  const std::vector<Pair> jitter = {{0, 300}, {-200, 100}, {50, -80}, {0, 0}, {120, 90}, {-40, 60}};
  CHECK(confirm(series(metric), jitter, {}).finding.verdict == Verdict::clear);
  CHECK(confirm(series(metric), equal_pairs(6, 65536, 0), {}).finding.verdict == Verdict::improvement);
}

TEST_CASE("Confirmation: a pair that can't be true decides nothing", "[detect]") {
  for (const Pair& bad : {Pair{0, 100}, Pair{100, -1}, Pair{std::numeric_limits<double>::quiet_NaN(), 100},
                          Pair{100, std::numeric_limits<double>::infinity()}}) {
    auto pairs = equal_pairs(8, 100, 120);
    pairs[3] = bad;
    const auto judgement = confirm(series(Metric::time), pairs, {});
    CHECK(judgement.finding.verdict == Verdict::inconclusive);
    CHECK(judgement.pairs_wanted == 0);
    CHECK_FALSE(judgement.finding.reason.empty());
  }
}

}  // namespace tbci::confirm_test
