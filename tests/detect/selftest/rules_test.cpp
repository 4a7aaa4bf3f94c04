#include "detect/selftest/rules.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "detect/selftest/e_divisive.hpp"
#include "tests/catch.hpp"

namespace tbci::rules_test {

namespace selftest = tbci::detect::selftest;

namespace {

using Series = std::vector<std::vector<double>>;

/// Nights of five processes around each level, 1% apart.
Series nights_at(const std::vector<double>& levels) {
  Series nights;
  for (double level : levels) nights.push_back({level, 0.99 * level, 1.01 * level, 0.995 * level, 1.005 * level});
  return nights;
}

/// Levels that alternate by 0.5%, and then another one.
std::vector<double> levels(int before, double ratio, int after) {
  std::vector<double> all;
  for (int i = 0; i < before; ++i) all.push_back(i % 2 == 0 ? 100 : 100.5);
  for (int i = 0; i < after; ++i) all.push_back(ratio * (i % 2 == 0 ? 100 : 100.5));
  return all;
}

}  // namespace

TEST_CASE("Rules: TorchBench takes one process, the medians five", "[selftest]") {
  Series nights = nights_at({100, 100});
  CHECK_FALSE(selftest::torchbench_alarms(nights));
  nights.back().front() = 107.1;
  CHECK(selftest::torchbench_alarms(nights));
  CHECK_FALSE(selftest::median_alarms(nights));
  CHECK(selftest::median_alarms(nights_at({100, 107.2})));
  CHECK_FALSE(selftest::median_alarms(nights_at({100, 106.9})));
  CHECK_FALSE(selftest::torchbench_alarms(nights_at({100})));
}

TEST_CASE("Rules: rustc-perf's fence is Q3 + 3 IQR of earlier changes", "[selftest]") {
  // Eleven changes of 1% to 11% in turn. Tukey's hinges of their absolute values (halves of five): 3% and 9%, so that
  // the fence lies at 27%.
  std::vector<double> series = {100};
  for (int i = 1; i <= 11; ++i) series.push_back(series.back() * (1 + 0.01 * i));
  series.push_back(series.back() * 1.265);
  CHECK_FALSE(selftest::rustc_alarms(nights_at(series)));
  series.back() *= 1.275 / 1.265;
  CHECK(selftest::rustc_alarms(nights_at(series)));
  CHECK_FALSE(selftest::rustc_alarms(nights_at({100, 200})));  // too little history
}

TEST_CASE("Rules: Conbench asks for five standard deviations above the mean", "[selftest]") {
  // Sixteen nights alternating between 99 and 101: mean 100, standard deviation 2 / sqrt(15) * 2 = 1.0328.
  std::vector<double> series;
  for (int i = 0; i < 16; ++i) series.push_back(i % 2 == 0 ? 99 : 101);
  series.push_back(105.1);
  CHECK_FALSE(selftest::conbench_alarms(nights_at(series)));
  series.back() = 105.3;
  CHECK(selftest::conbench_alarms(nights_at(series)));
}

TEST_CASE("Rules: Perfherder files a step on the twelfth night after it, and once", "[selftest]") {
  for (int after = 1; after <= 20; ++after) {
    CHECK(selftest::perfherder_alarms(nights_at(levels(30, 1.1, after))) == (after == 12));
  }
  CHECK_FALSE(selftest::perfherder_alarms(nights_at(levels(30, 1.05, 12))));
}

TEST_CASE("Rules: E-divisive finds steps where they are, and none where there is none", "[selftest]") {
  const auto two = [] {
    auto series = levels(20, 1.1, 15);
    for (double level : levels(10, 1.0, 0)) series.push_back(0.9 * level);
    return series;
  }();
  CHECK(selftest::e_divisive(two, 0.001, 3) == std::vector<std::size_t>{20, 35});
  CHECK(selftest::e_divisive(levels(40, 1, 0), 0.001, 3).empty());
  CHECK(selftest::e_divisive(std::vector<double>(30, 7.0), 0.001, 3).empty());
  CHECK(selftest::e_divisive(std::vector<double>{1, 2, 3}, 0.001, 3).empty());
  CHECK(selftest::e_divisive_alarms(nights_at(levels(20, 1.1, 5))));
  CHECK_FALSE(selftest::e_divisive_alarms(nights_at(levels(20, 1.05, 5))));  // found, and below 7%
  CHECK_FALSE(selftest::e_divisive_alarms(nights_at(levels(20, 0.9, 5))));
}

TEST_CASE("Rules: the split with the largest energy is found as by its definition", "[selftest]") {
  // The energy of each split from its definition (Matteson and James 2014, equations 5 and 7), without running sums.
  std::mt19937_64 random(3);
  std::normal_distribution<double> gaussian;
  std::vector<double> values;
  for (int i = 0; i < 24; ++i) values.push_back(gaussian(random) + (i >= 15 ? 6 : 0));
  const auto mean_distance = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    double sum = 0, count = 0;
    for (std::size_t i = a; i < b; ++i) {
      for (std::size_t j = c; j < d; ++j) {
        if (i == j) continue;
        sum += std::abs(values[i] - values[j]);
        ++count;
      }
    }
    return sum / count;
  };
  std::size_t best = 0;
  double largest = -1;
  for (std::size_t at = 3; at <= values.size() - 3; ++at) {
    const double n = static_cast<double>(at), m = static_cast<double>(values.size() - at);
    const double energy = n * m / (n + m) *
                          (2 * mean_distance(0, at, at, values.size()) - mean_distance(0, at, 0, at) -
                           mean_distance(at, values.size(), at, values.size()));
    if (energy > largest) {
      largest = energy;
      best = at;
    }
  }
  CHECK(best == 15);
  CHECK(selftest::e_divisive(values, 1e-6, 3) == std::vector<std::size_t>{best});
}

TEST_CASE("Rules: every rule of others names where it is written down", "[selftest]") {
  for (const auto& rule : selftest::other_rules()) {
    CHECK_FALSE(rule.source.empty());
    CHECK(rule.make() != nullptr);
  }
}

}  // namespace tbci::rules_test
