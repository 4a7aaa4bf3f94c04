#include "detect/scaling/power_law.hpp"

#include <cmath>
#include <random>

#include "tests/catch.hpp"

namespace tbci::power_law_test {

using detect::compare_power_laws;
using detect::fit_power_law;
using detect::ScalePoint;
using detect::Trend;
using test::Approx;

namespace {

struct Law {
  double a = 1, b = 1, c = 0;
};

std::vector<ScalePoint> points_of(const Law& law, std::mt19937_64* random = nullptr, double noise = 0) {
  std::normal_distribution<double> normal(0, noise);
  std::vector<ScalePoint> points;
  for (double x = 1; x <= 128; x *= 2) {
    const double y = law.a * std::pow(x, law.b) + law.c;
    points.push_back({x, y * std::exp(random == nullptr ? 0 : normal(*random))});
  }
  return points;
}

bool holds(const detect::Bounded& interval, double truth) {
  return interval.low <= truth && truth <= interval.high;
}

std::string why_not(const std::vector<ScalePoint>& points, Trend trend = Trend::grows) {
  const auto law = fit_power_law(points, trend);
  return law ? "" : law.error().message;
}

}  // namespace

TEST_CASE("Power law: points on a law give that law", "[detect]") {
  for (const Law& truth : {Law{0.9, 1, 4}, Law{3, 0.6, 0.5}, Law{0.01, 2, 7}, Law{5, 1, 0}}) {
    const auto law = fit_power_law(points_of(truth));
    REQUIRE(law);
    CHECK(law->a.value == Approx(truth.a).epsilon(1e-5));
    CHECK(law->b.value == Approx(truth.b).epsilon(1e-5));
    CHECK(std::abs(law->c.value - truth.c) < 1e-4 * (truth.a + truth.c));
    CHECK(law->error < 1e-6);
    CHECK(law->at(200) == Approx(truth.a * std::pow(200, truth.b) + truth.c).epsilon(1e-4));
  }
}

TEST_CASE("Power law: points that are flat for long and then rise have one", "[detect]") {
  const auto law = fit_power_law({{1, 5.001}, {2, 5.004}, {4, 5.016}, {8, 5.064}, {16, 5.256}});
  REQUIRE(law);
  CHECK(law->b.value == Approx(2).epsilon(1e-4));
  CHECK(law->c.value == Approx(5).epsilon(1e-4));
}

TEST_CASE("Power law: a falling one is a loss against its samples", "[detect]") {
  const auto law = fit_power_law(points_of({2, -0.5, 0.4}), Trend::falls);
  REQUIRE(law);
  CHECK(law->b.value == Approx(-0.5).epsilon(1e-5));
  CHECK(law->c.value == Approx(0.4).epsilon(1e-4));
}

// By nested golden-section searches in another language over (b, c/a) and, for the profiles of a and c, over the other
// two: the sum of squares of the logarithms, F(1, 5) at 95%.
TEST_CASE("Power law: numbers and intervals are those of another program", "[detect]") {
  const double y[] = {5.31, 6.05, 8.21, 11.6, 19.7, 34.4, 66.9, 131.8};
  std::vector<ScalePoint> points;
  for (int i = 0; i < 8; ++i) points.push_back({std::pow(2.0, i), y[i]});
  const auto law = fit_power_law(points);
  REQUIRE(law);
  const auto check = [](const detect::Bounded& one, double value, double low, double high) {
    CHECK(one.value == Approx(value).epsilon(1e-4));
    CHECK(one.low == Approx(low).epsilon(1e-4));
    CHECK(one.high == Approx(high).epsilon(1e-4));
  };
  check(law->b, 1.0276344253379954, 0.9950864437385976, 1.0607507911706489);
  check(law->a, 0.8678160900735509, 0.7582984264270652, 0.9902436905558502);
  check(law->c, 4.408826711928989, 4.126201573185199, 4.688047672974378);
  CHECK(law->error == Approx(0.0187968068724756).epsilon(1e-4));
}

TEST_CASE("Power law: of 1,000 curves with 2% noise, 93 to 97% of the intervals hold the truth", "[detect][long]") {
  constexpr unsigned seed = 21;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> exponent(0.6, 1.2), constant(1, 10);
  constexpr int curves = 1000;
  int a = 0, b = 0, c = 0;
  for (int i = 0; i < curves; ++i) {
    const Law truth{1, exponent(random), constant(random)};
    const auto law = fit_power_law(points_of(truth, &random, 0.02));
    REQUIRE(law);
    a += holds(law->a, truth.a);
    b += holds(law->b, truth.b);
    c += holds(law->c, truth.c);
  }
  for (const int held : {a, b, c}) {
    CHECK(held >= 930);
    CHECK(held <= 970);
  }
}

TEST_CASE("Power law: what a call costs moves the constant alone, what a row costs the factor alone", "[detect]") {
  std::mt19937_64 random(5);
  const Law before{1, 0.95, 8};
  const auto compare = [&](const Law& after) {
    const auto change = compare_power_laws(points_of(before, &random, 0.002), points_of(after, &random, 0.002));
    REQUIRE(change);
    CHECK(change->one_exponent);
    return *change;
  };
  const auto call = compare({1, 0.95, 8.8});
  CHECK(call.c_changed());
  CHECK_FALSE(call.a_changed());
  CHECK(holds(call.difference_of_c, 0.8));
  const auto row = compare({1.1, 0.95, 8});
  CHECK(row.a_changed());
  CHECK_FALSE(row.c_changed());
  CHECK(holds(row.ratio_of_a, 1.1));
  const auto same = compare(before);
  CHECK_FALSE(same.a_changed());
  CHECK_FALSE(same.c_changed());
}

TEST_CASE("Power law: of 400 builds compared with themselves, 92 to 98% show no change of a part", "[detect][long]") {
  constexpr unsigned seed = 22;
  INFO("seed " << seed);
  std::mt19937_64 random(seed);
  int one_exponent = 0, a = 0, c = 0;
  for (int i = 0; i < 400; ++i) {
    const Law law{1, 0.9, 5};
    const auto change = compare_power_laws(points_of(law, &random, 0.02), points_of(law, &random, 0.02));
    REQUIRE(change);
    one_exponent += change->one_exponent;
    a += !change->a_changed();
    c += !change->c_changed();
  }
  CHECK(one_exponent >= 390);
  for (const int same : {a, c}) {
    CHECK(same >= 368);
    CHECK(same <= 392);
  }
}

TEST_CASE("Power law: another exponent is another algorithm", "[detect]") {
  std::mt19937_64 random(6);
  const auto change = compare_power_laws(points_of({1, 1, 4}, &random, 0.01), points_of({1, 1.3, 4}, &random, 0.01));
  REQUIRE(change);
  CHECK_FALSE(change->one_exponent);
  CHECK(change->ratio_of_a.low <= 1);
  CHECK(change->ratio_of_a.high >= 1);
  CHECK_FALSE(change->a_changed());
}

TEST_CASE("Power law: points without a law get a reason and no numbers", "[detect]") {
  const auto says = [](const std::string& text, const std::string& words) {
    INFO(text);
    CHECK(text.find("no law: ") == 0);
    CHECK(text.find(words) != std::string::npos);
  };
  says(why_not({{1, 1}, {2, 2}, {4, 4}}), "3 sizes are too few, it takes 4");
  says(why_not({{1, 1}, {2, 2}, {4, 4}, {4, 4.1}, {4, 4.2}}), "3 sizes are too few");
  says(why_not({{1, 5}, {2, 5}, {4, 5}, {8, 5}, {16, 5}}), "do not change");
  says(why_not({{1, 5}, {2, 5.1}, {4, 4.9}, {8, 5.05}, {16, 4.97}}), "do not change");
  says(why_not(points_of({2, -0.5, 0.4})), "fall");
  says(why_not(points_of({1, 1, 1}), Trend::falls), "grow");
  says(why_not({{1, 1}, {2, 2}, {4, 0}, {8, 8}}), "not a number above 0");
  says(why_not({{1, 1}, {2, 2}, {-4, 3}, {8, 8}}), "not a number above 0");
  says(why_not({{1, 1}, {2, NAN}, {4, 3}, {8, 8}}), "not a number above 0");
}

TEST_CASE("Power law: a build that has no law is named", "[detect]") {
  const auto change = compare_power_laws(points_of({1, 1, 4}), {{1, 1}, {2, 2}});
  REQUIRE_FALSE(change);
  CHECK(change.error().message.find("the build after: no law") == 0);
}

}  // namespace tbci::power_law_test
