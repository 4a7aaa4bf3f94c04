// Reference values: SciPy 1.17.1 and NumPy (numpy.median, stats.median_abs_deviation(..., scale=1/1.4826)) of the
// logarithms of the nights' medians.
#include "detect/baseline.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::baseline_test {

using tbci::detect::baseline_of;
using tbci::detect::BaselineSettings;
using tbci::detect::NightValues;
using tbci::detect::screen_against;
using tbci::detect::Thresholds;
using tbci::model::Configuration;
using tbci::model::Metric;
using tbci::model::Series;
using tbci::model::Verdict;
using tbci::test::Approx;

namespace {

constexpr double mib = 1024.0 * 1024.0;
using Values = std::vector<double>;

/// Keeps the values that the nights look at.
class History {
 public:
  void add(Values values, bool restarts = false) {
    values_.push_back(std::move(values));
    anew_.push_back(restarts);
  }
  void add_nights(int count, double value) {
    for (int i = 0; i < count; ++i) add({value});
  }
  std::vector<NightValues> nights() const {
    std::vector<NightValues> nights;
    for (std::size_t i = 0; i < values_.size(); ++i) nights.push_back({static_cast<int>(i), values_[i], anew_[i]});
    return nights;
  }

 private:
  std::vector<Values> values_;
  std::vector<bool> anew_;
};

Series series(Metric metric) {
  return {"dlrm", Configuration::cpu_train, metric};
}

Verdict against(const History& history, Metric metric, const Values& tonight, const Thresholds& thresholds = {}) {
  return screen_against(series(metric), baseline_of(metric, history.nights()), tonight, thresholds).verdict;
}

}  // namespace

TEST_CASE("Baseline: level and scale are NumPy's and SciPy's, one bad night among ten", "[detect]") {
  History history;
  for (const Values& night :
       {Values{101, 99, 100}, Values{102, 103, 98}, Values{97, 99, 98, 140}, Values{100.5}, Values{115, 116, 114},
        Values{101, 101.5}, Values{99.2}, Values{100.1, 100.3, 99.9}, Values{98.7, 100.9}, Values{102.2}}) {
    history.add(night);
  }
  const auto baseline = baseline_of(Metric::time, history.nights());
  REQUIRE(baseline);
  CHECK(baseline->level == Approx(4.608163706910153).epsilon(1e-12));
  CHECK(baseline->scale == Approx(0.015163062954112462).epsilon(1e-12));
  CHECK(baseline->nights == 10);
}

TEST_CASE("Baseline: the last ten nights count, and none before a new beginning", "[detect]") {
  History history;
  history.add_nights(20, 200);
  history.add_nights(10, 100);
  CHECK(std::exp(baseline_of(Metric::time, history.nights())->level) == Approx(100));
  history.add({150}, true);
  CHECK_FALSE(baseline_of(Metric::time, history.nights()));
  history.add_nights(6, 150);
  CHECK_FALSE(baseline_of(Metric::time, history.nights()));
  history.add({150});
  const auto restarted = baseline_of(Metric::time, history.nights());
  REQUIRE(restarted);
  CHECK(restarted->nights == 8);
  CHECK(std::exp(restarted->level) == Approx(150));
}

TEST_CASE("Baseline: nights without a usable value are passed over", "[detect]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  History history;
  history.add_nights(5, 100);
  history.add({});
  history.add({nan, -1, 0});
  history.add_nights(2, 100);
  CHECK_FALSE(baseline_of(Metric::time, history.nights()));
  history.add({100, nan});
  REQUIRE(baseline_of(Metric::time, history.nights()));
  CHECK(std::exp(baseline_of(Metric::time, history.nights())->level) == Approx(100));
  // A new beginning holds even where that night measured nothing.
  history.add({}, true);
  CHECK_FALSE(baseline_of(Metric::time, history.nights()));
}

TEST_CASE("Baseline: a suspect is confirmed against the build of the third last night", "[detect]") {
  History history;
  history.add_nights(12, 100);
  CHECK(baseline_of(Metric::time, history.nights())->reference_night == 9);
  history.add({});  // not measured: its build can't stand for the baseline
  CHECK(baseline_of(Metric::time, history.nights())->reference_night == 9);
  BaselineSettings last;
  last.reference_lag = 1;
  CHECK(baseline_of(Metric::time, history.nights(), last)->reference_night == 11);
}

TEST_CASE("Baseline: a night above the screen's threshold is suspect, one slow process is not", "[detect]") {
  History history;
  history.add_nights(10, 1000);
  Thresholds thresholds;
  thresholds.screen = 0.04;
  CHECK(against(history, Metric::time, {1039}, thresholds) == Verdict::clear);
  CHECK(against(history, Metric::time, {1041}, thresholds) == Verdict::suspect);
  CHECK(against(history, Metric::time, {960}, thresholds) == Verdict::suspect);
  CHECK(against(history, Metric::time, {1000, 1001, 1400, 999, 1002}, thresholds) == Verdict::clear);
  const auto finding = screen_against(series(Metric::time), baseline_of(Metric::time, history.nights()),
                                      Values{1100, 1101, 1099}, thresholds);
  CHECK(finding.change == Approx(0.1));
  CHECK(finding.before == Approx(1000));
  CHECK(finding.after == 1100);
  CHECK(finding.pairs == 0);
}

TEST_CASE("Baseline: memory needs its floor, leaks are judged in bytes", "[detect]") {
  History memory, leak;
  memory.add_nights(10, 40 * mib);
  CHECK(against(memory, Metric::cpu_memory, {46 * mib}) == Verdict::clear);
  CHECK(against(memory, Metric::cpu_memory, {60 * mib}) == Verdict::suspect);
  for (int i = 0; i < 5; ++i) {
    leak.add({-100});
    leak.add({100});
  }
  CHECK(baseline_of(Metric::cpu_leak, leak.nights())->level == 0);
  CHECK(against(leak, Metric::cpu_leak, {300}) == Verdict::clear);
  CHECK(against(leak, Metric::cpu_leak, {mib}) == Verdict::suspect);
}

TEST_CASE("Baseline: what says nothing is inconclusive, so that the old build is measured beside", "[detect]") {
  History young, wild, good;
  young.add_nights(7, 100);
  for (int i = 0; i < 5; ++i) {
    wild.add({90});
    wild.add({110});
  }
  good.add_nights(10, 100);
  CHECK(against(young, Metric::time, {100}) == Verdict::inconclusive);
  CHECK(against(wild, Metric::time, {100}) == Verdict::inconclusive);
  CHECK(against(good, Metric::time, {}) == Verdict::inconclusive);
  CHECK(against(good, Metric::time, {0}) == Verdict::inconclusive);
  CHECK(against(good, Metric::time, {std::numeric_limits<double>::infinity()}) == Verdict::inconclusive);
}

TEST_CASE("Baseline: a secondary metric is never suspect", "[detect]") {
  History history;
  history.add_nights(10, 1e9);
  CHECK(against(history, Metric::instructions, {2e9}) == Verdict::clear);
}

TEST_CASE("Baseline: a leak whose worker says its interval is found from the floor on", "[detect]") {
  History history;
  history.add_nights(10, 0);
  const auto baseline = baseline_of(Metric::cpu_leak, history.nights());
  const auto verdict = [&](double bytes, double half_width) {
    const detect::Growth tonight[] = {{bytes, model::Interval{bytes - half_width, bytes + half_width}}};
    return screen_against(series(Metric::cpu_leak), baseline, tonight, Thresholds{}).verdict;
  };
  CHECK(verdict(8, 8) == Verdict::clear);
  CHECK(verdict(500, 8) == Verdict::clear);
  CHECK(verdict(1040, 8) == Verdict::suspect);
  CHECK(verdict(8000, 100) == Verdict::suspect);
  CHECK(verdict(-8000, 100) == Verdict::suspect);
  CHECK(verdict(8000, 7600) == Verdict::clear);
}

TEST_CASE("Baseline: the machine moved where the old build left the history and its own night", "[detect]") {
  History history;
  history.add_nights(10, 100);
  const auto baseline = baseline_of(Metric::time, history.nights());
  const auto move = [&](const Values& own_night, const Values& tonight, Metric metric = Metric::time) {
    return detect::machine_move(series(metric), baseline, own_night, tonight, Thresholds{});
  };
  REQUIRE(move({100, 101}, {110, 111, 109}));
  CHECK(*move({100, 101}, {110, 111, 109}) == Approx(110 / 101.0 - 1));
  CHECK_FALSE(move({100, 101}, {102, 101, 103}));
  CHECK_FALSE(move({105, 105.5}, {105, 106, 105}));  // it had that on its own night: a small step of the build
  CHECK_FALSE(move({120, 121}, {110, 111, 109}));    // nearer to the history than then
  CHECK_FALSE(move({}, {110, 111, 109}));            // perhaps it was so from the beginning
  CHECK_FALSE(move({100}, {}));
  CHECK_FALSE(move({100}, {1e9}, Metric::cpu_leak));
}

TEST_CASE("Baseline: few processes that scatter on two nights do not make the step of a build the machine's",
          "[detect]") {
  History history;
  history.add_nights(10, 100);
  const auto baseline = baseline_of(Metric::time, history.nights());
  const auto move = [&](const Values& own_night, const Values& tonight) {
    return detect::machine_move(series(Metric::time), baseline, own_night, tonight, Thresholds{});
  };
  // The build is 22% faster than those before it, on its own night as tonight: its medians are 4.1% apart by chance.
  CHECK_FALSE(move({80.6, 77.4, 79}, {75.7, 78.4, 75.8}));
  // One of two processes of its own night was far off.
  CHECK_FALSE(move({90.4, 124.7}, {89, 89.1, 89.2, 89.4, 89.6, 89.8}));
  CHECK_FALSE(move({110, 80}, {111, 112}));
  // A build with a step of 6% on a machine that became 15% slower: what the event says is the machine's part.
  REQUIRE(move({106, 106.1}, {121.9, 122, 121.8}));
  CHECK(*move({106, 106.1}, {121.9, 122, 121.8}) == Approx(121.9 / 106.1 - 1));
}

}  // namespace tbci::baseline_test
