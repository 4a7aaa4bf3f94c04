#include "detect/screen.hpp"

#include <limits>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::screen_test {

using tbci::detect::screen;
using tbci::detect::Thresholds;
using tbci::model::Configuration;
using tbci::model::Metric;
using tbci::model::Series;
using tbci::model::Verdict;
using tbci::test::Approx;

namespace {
constexpr double mib = 1024.0 * 1024.0;
using Values = std::vector<double>;

Series series(Metric metric) {
  return {"dlrm", Configuration::cpu_train, metric};
}

Verdict verdict(Metric metric, const Values& before, const Values& after) {
  return screen(series(metric), before, after, Thresholds{}).verdict;
}
}  // namespace

TEST_CASE("Screen: medians are compared, so that one slow process raises no suspicion", "[detect]") {
  const auto finding = screen(series(Metric::time), Values{100, 102, 98, 101, 99}, Values{101, 100, 160, 99, 102}, {});
  CHECK(finding.verdict == Verdict::clear);
  CHECK(finding.before == 100);
  CHECK(finding.after == 101);
  CHECK(finding.change == Approx(0.01));
  CHECK(finding.pairs == 0);
}

TEST_CASE("Screen: time is suspect above the loose threshold, in either direction", "[detect]") {
  CHECK(verdict(Metric::time, {1000}, {1036}) == Verdict::clear);
  CHECK(verdict(Metric::time, {1000}, {1038}) == Verdict::suspect);
  CHECK(verdict(Metric::time, {1038}, {1000}) == Verdict::suspect);
  CHECK(verdict(Metric::time, {1036}, {1000}) == Verdict::clear);
  CHECK(screen(series(Metric::time), Values{1046}, Values{1000}, {}).change < 0);
}

TEST_CASE("Screen: memory must change by the ratio and by the floor", "[detect]") {
  CHECK(verdict(Metric::cpu_memory, {400 * mib}, {440 * mib}) == Verdict::suspect);
  CHECK(verdict(Metric::cpu_memory, {40 * mib}, {46 * mib}) == Verdict::clear);      // 15%, but 6 MiB
  CHECK(verdict(Metric::gpu_memory, {4000 * mib}, {4080 * mib}) == Verdict::clear);  // 80 MiB, but 2%
  CHECK(verdict(Metric::gpu_memory, {440 * mib}, {400 * mib}) == Verdict::suspect);
}

TEST_CASE("Screen: leaks are judged by their difference, whatever they were before", "[detect]") {
  CHECK(verdict(Metric::cpu_leak, {0, 0, 0}, {mib, mib, mib}) == Verdict::suspect);
  CHECK(verdict(Metric::cpu_leak, {-100, 0, 50}, {400, 0, 800}) == Verdict::clear);
  CHECK(verdict(Metric::gpu_leak, {mib}, {0}) == Verdict::suspect);
  const auto finding = screen(series(Metric::cpu_leak), Values{0}, Values{mib}, {});
  CHECK(finding.change == std::numeric_limits<double>::infinity());
}

TEST_CASE("Screen: values that can't be true are said to be inconclusive", "[detect]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const Values& bad : {Values{}, Values{100, nan}, Values{infinite}, Values{-5}, Values{100, 0}}) {
    for (bool bad_is_new : {false, true}) {
      const Values good = {100, 101};
      const auto finding = screen(series(Metric::time), bad_is_new ? good : bad, bad_is_new ? bad : good, {});
      CHECK(finding.verdict == Verdict::inconclusive);
      CHECK(finding.reason.find(bad_is_new ? "the new build" : "the old build") != std::string::npos);
    }
  }
  CHECK(verdict(Metric::cpu_leak, {0}, {nan}) == Verdict::inconclusive);
}

}  // namespace tbci::screen_test
