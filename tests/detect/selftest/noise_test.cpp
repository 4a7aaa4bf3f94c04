// The sources of simulated nights. Seeds are fixed; bounds are five standard errors and more.
#include "detect/selftest/noise.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "detect/selftest/replay.hpp"
#include "detect/selftest/statistics.hpp"
#include "tests/catch.hpp"

namespace tbci::noise_test {

using tbci::test::Approx;
namespace selftest = tbci::detect::selftest;

namespace {

constexpr std::uint64_t seed = 5;

/// Logarithms of processes, `each` in each of `nights` nights.
std::vector<std::vector<double>> drawn(selftest::Source& source, int nights, int each) {
  std::vector<std::vector<double>> all;
  for (int night = 0; night < nights; ++night) {
    source.begin_night(0);
    all.emplace_back();
    for (int i = 0; i < each; ++i) all.back().push_back(std::log(source.process(0)));
  }
  return all;
}

double deviation(const std::vector<double>& values) {
  return std::sqrt(selftest::moments_of(values).variance);
}

}  // namespace

TEST_CASE("Noise: quiet is 2% a process and 1% a night", "[selftest]") {
  const auto noise = selftest::quiet();
  selftest::NoisySource source(noise, seed);
  std::vector<double> within, means;
  for (const auto& night : drawn(source, 4000, 20)) {
    within.push_back(selftest::moments_of(night).variance);
    means.push_back(selftest::moments_of(night).mean);
  }
  CHECK(std::sqrt(selftest::moments_of(within).mean) == Approx(0.02).epsilon(0.02));
  // The mean of 20 processes has 0.02 / sqrt(20) besides.
  CHECK(deviation(means) == Approx(std::sqrt(0.01 * 0.01 + 0.0004 / 20)).epsilon(0.06));
}

TEST_CASE("Noise: noisy has slow processes, bad nights and a machine that changes", "[selftest]") {
  const auto noise = selftest::noisy();
  selftest::NoisySource source(noise, seed);
  int slow = 0, bad = 0;
  std::vector<double> medians;
  const auto nights = drawn(source, 2000, 51);
  for (auto night : nights) {
    std::nth_element(night.begin(), night.begin() + 25, night.end());
    medians.push_back(night[25]);
    for (double value : night) slow += value - night[25] > 0.12 ? 1 : 0;
  }
  // A night that stands above its four neighbours is a bad one; the machine's own changes stay.
  for (std::size_t i = 2; i + 2 < medians.size(); ++i) {
    const double around = std::max({medians[i - 2], medians[i - 1], medians[i + 1], medians[i + 2]});
    bad += medians[i] - around > 0.03 ? 1 : 0;
  }
  CHECK(slow > 0.014 * 2000 * 51);  // of 2%, those that are slow by more than 13%
  CHECK(slow < 0.022 * 2000 * 51);
  CHECK(bad > 15);
  CHECK(bad < 55);
  // Ten changes of 5%: stretches of fifty nights, each by its median, differ by far more than 1.5% a night would let
  // them.
  std::vector<double> stretches;
  for (std::size_t i = 0; i + 50 <= medians.size(); i += 50) {
    std::vector<double> stretch(medians.begin() + static_cast<std::ptrdiff_t>(i),
                                medians.begin() + static_cast<std::ptrdiff_t>(i + 50));
    std::nth_element(stretch.begin(), stretch.begin() + 25, stretch.end());
    stretches.push_back(stretch[25]);
  }
  const auto [least, most] = std::minmax_element(stretches.begin(), stretches.end());
  CHECK(*most - *least > 0.04);
}

TEST_CASE("Noise: an effect and a slow night are what they are called", "[selftest]") {
  selftest::Noise none;
  selftest::NoisySource source(none, seed);
  source.begin_night(0);
  const double usual = source.process(0);
  CHECK(source.process(std::log(1.1)) == Approx(1.1 * usual));
  source.begin_night(std::log(1.15));
  CHECK(source.process(0) == Approx(1.15 * usual));
  CHECK(source.process(std::log(1.1)) == Approx(1.15 * 1.1 * usual));
  source.begin_night(0);
  CHECK(source.process(0) == Approx(usual));
}

TEST_CASE("Noise: the same seed gives the same numbers, other streams others", "[selftest]") {
  const auto noise = selftest::noisy();
  selftest::NoisySource one(noise, seed), same(noise, seed), other(noise, seed + 1);
  one.begin_night(0);
  same.begin_night(0);
  other.begin_night(0);
  const double value = one.process(0);
  CHECK(value == same.process(0));
  CHECK(value != other.process(0));
  // The reference implementation of SplitMix64 gives these first outputs for the seed 1234567.
  CHECK(selftest::stream_seed(1234567, 0) == 6457827717110365317U);
  CHECK(selftest::stream_seed(1234567, 1) == 3203168211198807973U);
}

TEST_CASE("Replay: a night is drawn in blocks from one run, and wraps round at its end", "[selftest]") {
  selftest::Recorded recorded{"x", {{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, {101, 102, 103, 104, 105}}};
  selftest::ReplaySource source(recorded, 4, seed);
  std::set<bool> runs_seen;
  for (int night = 0; night < 50; ++night) {
    source.begin_night(0);
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) values.push_back(source.process(0));
    const bool second = values.front() > 100;
    runs_seen.insert(second);
    const double length = second ? 5 : 10, first = second ? 101 : 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
      CHECK((values[i] > 100) == second);
      if (i % 4 == 0) continue;
      CHECK(values[i] == (values[i - 1] == first + length - 1 ? first : values[i - 1] + 1));
    }
  }
  CHECK(runs_seen.size() == 2);
}

TEST_CASE("Replay: an effect is laid over what was recorded", "[selftest]") {
  const selftest::Recorded recorded{"x", {{100}}};
  selftest::ReplaySource source(recorded, 8, seed);
  source.begin_night(0);
  CHECK(source.process(std::log(1.08)) == Approx(108));
  source.begin_night(std::log(1.15));
  CHECK(source.process(0) == Approx(115));
}

}  // namespace tbci::noise_test
