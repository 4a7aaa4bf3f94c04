#include "detect/effect.hpp"

#include <cmath>

#include "tests/catch.hpp"

namespace tbci::effect_test {

using model::Metric;
using test::Approx;

TEST_CASE("Effect: a known rise is not part of what two builds differ by") {
  CHECK(*detect::effect(Metric::time, detect::with_rise(Metric::time, {.before = 2, .after = 3}, std::log(1.2))) ==
        Approx(std::log(1.25)));
  const auto leak = detect::with_rise(
      Metric::cpu_leak, {.before = 100, .after = 900, .before_interval = model::Interval{.low = 90, .high = 110}}, 300);
  CHECK(*detect::effect(Metric::cpu_leak, leak) == 500);
  CHECK(leak.before_interval == model::Interval{.low = 390, .high = 410});
}

TEST_CASE("Effect: a finding has the effect of its pairs") {
  model::Finding finding;
  finding.series.metric = Metric::time;
  finding.before = 2;
  finding.after = 3;
  finding.change = 0.5;
  CHECK(detect::effect_of(finding) == Approx(std::log(1.5)));
  finding.series.metric = Metric::cpu_leak;
  CHECK(detect::effect_of(finding) == 1);
}

TEST_CASE("Effect: of iterations in turn it is the median of their ratios, whatever slows single ones") {
  using Times = std::vector<std::int64_t>;
  const auto effect = [](const Times& before, const Times& after) { return detect::effect_in_turn(before, after); };
  // Ratios 1.1, 1.1, 0.1 and 1.1; the medians of the processes are 300 and 165.
  CHECK(effect({100, 200, 900, 400}, {110, 220, 90, 440}).value() == Approx(std::log(1.1)));
  // An even number of ratios, 2 and 8: the middle of their logarithms is that of 4.
  CHECK(effect({1, 1}, {2, 8}).value() == Approx(std::log(4.0)));
  CHECK(effect({7, 7, 7}, {7, 7, 7}).value() == 0);
  CHECK_FALSE(effect({}, {}));
  CHECK_FALSE(effect({1, 2}, {1}));
  CHECK_FALSE(effect({1, 0}, {1, 2}));
  CHECK_FALSE(effect({1, 2}, {-1, 2}));
}

}  // namespace tbci::effect_test
