#include "detect/leak.hpp"

#include <limits>
#include <optional>
#include <vector>

#include "detect/confirm.hpp"
#include "tests/catch.hpp"

namespace tbci::leak_test {

using tbci::detect::certain_difference;
using tbci::detect::confirm;
using tbci::detect::Growth;
using tbci::detect::Pair;
using tbci::detect::screen_leak;
using tbci::detect::Thresholds;
using tbci::model::Interval;
using tbci::model::Verdict;

namespace {
const tbci::model::Series series = {"dlrm", tbci::model::Configuration::cpu_train, tbci::model::Metric::cpu_leak};

Growth growth(double low, double bytes, double high) {
  return {bytes, Interval{low, high}};
}

Verdict screened(const std::vector<Growth>& before, const std::vector<Growth>& after) {
  return screen_leak(series, before, after, Thresholds{}).verdict;
}

Verdict confirmed(const Growth& before, const Growth& after) {
  const std::vector<Pair> pairs(6, Pair{before.bytes, after.bytes, before.interval, after.interval});
  return confirm(series, pairs, Thresholds{}).finding.verdict;
}
}  // namespace

TEST_CASE("Leaks: only the gap between two intervals is certain", "[detect]") {
  const Thresholds thresholds;
  CHECK(certain_difference(growth(0, 0, 10), growth(1000, 1040, 1100), thresholds) == 990);
  CHECK(certain_difference(growth(1000, 1040, 1100), growth(0, 0, 10), thresholds) == -990);
  CHECK(certain_difference(growth(0, 0, 10), growth(10, 1040, 1100), thresholds) == 0);
  CHECK(certain_difference(growth(-50, 0, 5000), growth(0, 900, 2000), thresholds) == 0);
}

TEST_CASE("Leaks: without an interval four kilobytes to each side are unknown", "[detect]") {
  const Thresholds thresholds;
  CHECK(certain_difference({0}, {10000}, thresholds) == 10000 - 2 * 4096);
  CHECK(certain_difference({0}, {8000}, thresholds) == 0);
  CHECK(certain_difference(growth(0, 0, 0), {5000}, thresholds) == 5000 - 4096);
}

TEST_CASE("Leaks: a kilobyte that is certain is suspected and confirmed, with one process that looked for it",
          "[detect]") {
  CHECK(screened({growth(0, 0, 0)}, {growth(1040, 1040, 1040)}) == Verdict::suspect);
  CHECK(confirmed(growth(0, 0, 0), growth(1040, 1040, 1040)) == Verdict::regression);
  CHECK(screened({growth(1040, 1040, 1040)}, {growth(0, 0, 0)}) == Verdict::suspect);
  CHECK(confirmed(growth(1040, 1040, 1040), growth(0, 0, 0)) == Verdict::improvement);
  const auto finding = screen_leak(series, std::vector{growth(0, 0, 0)}, std::vector{growth(1030, 1040, 1050)}, {});
  CHECK(finding.before == 0);
  CHECK(finding.after == 1040);
  CHECK(finding.reason.find("1.02 KiB (1.01 KiB to 1.03 KiB)") != std::string::npos);
}

TEST_CASE("Leaks: a growth whose lower end is under the floor is not a leak, however large it may be", "[detect]") {
  CHECK(screened({growth(0, 0, 0)}, {growth(511, 2000, 9000)}) == Verdict::clear);
  CHECK(screened({growth(0, 0, 0)}, {growth(0, 100000, 200000)}) == Verdict::clear);
  CHECK(confirmed(growth(0, 0, 0), growth(0, 100000, 200000)) == Verdict::clear);
  // A cache that fills in jumps on both builds.
  CHECK(screened({growth(0, 40000, 90000)}, {growth(0, 70000, 90000)}) == Verdict::clear);
}

TEST_CASE("Leaks: a build that leaked as much before is clear", "[detect]") {
  CHECK(screened({growth(65552, 65552, 65552)}, {growth(65552, 65552, 65552)}) == Verdict::clear);
  CHECK(confirmed(growth(65552, 65552, 65552), growth(65552, 65552, 65552)) == Verdict::clear);
}

TEST_CASE("Leaks: the floor is the caller's", "[detect]") {
  Thresholds thresholds;
  thresholds.leak_floor_bytes = 2000;
  const std::vector before = {growth(0, 0, 0)}, after = {growth(1040, 1040, 1040)};
  CHECK(screen_leak(series, before, after, thresholds).verdict == Verdict::clear);
}

TEST_CASE("Leaks: one process of three that grew is not believed", "[detect]") {
  const std::vector none(3, growth(0, 0, 0));
  CHECK(screened(none, {growth(0, 0, 0), growth(5000, 5000, 5000), growth(0, 0, 0)}) == Verdict::clear);
}

TEST_CASE("Leaks: what is missing or can't be true is inconclusive, with the build's name", "[detect]") {
  const std::vector good = {growth(0, 0, 0)};
  const std::vector bad = {Growth{std::numeric_limits<double>::quiet_NaN()}};
  CHECK(screen_leak(series, {}, good, {}).reason.find("the old build") != std::string::npos);
  CHECK(screened(good, bad) == Verdict::inconclusive);
  CHECK(screen_leak(series, good, bad, {}).reason.find("the new build") != std::string::npos);
}

TEST_CASE("Leak: what is certain of a growth is the end of its interval that is nearer to nothing", "[detect]") {
  const auto certain = [](double bytes, std::optional<model::Interval> interval) {
    return detect::certain_growth({bytes, interval}, detect::Thresholds{});
  };
  CHECK(certain(1040, model::Interval{1000, 1080}) == 1000);
  CHECK(certain(-1040, model::Interval{-1080, -1000}) == -1000);
  CHECK(certain(5000, model::Interval{-100, 10100}) == 0);
  CHECK(certain(100, std::nullopt) == 0);
  CHECK(certain(5000, std::nullopt) == 5000 - detect::Thresholds{}.leak_unknown_bytes);
}

}  // namespace tbci::leak_test
