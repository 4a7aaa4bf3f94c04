// Reference values: SciPy 1.17.1, stats.binomtest(x, n).proportion_ci(0.95, "exact") and stats.ttest_ind(a, b).pvalue.
#include "detect/selftest/statistics.hpp"

#include <vector>

#include "tests/catch.hpp"

namespace tbci::statistics_test {

using tbci::test::Approx;
namespace selftest = tbci::detect::selftest;

TEST_CASE("Selftest: intervals of proportions are SciPy's", "[selftest]") {
  struct Reference {
    std::int64_t count, trials;
    double low, high;
  };
  const auto reference = GENERATE(values<Reference>({{0, 2000000, 0.0, 1.844438485280154e-06},
                                                     {3, 1000, 0.0006190999316499173, 0.008742023238657654},
                                                     {8, 1000, 0.003459976165329141, 0.01570204917607462},
                                                     {1000, 1000, 0.9963179161033608, 1.0},
                                                     {17, 20, 0.6210731734547044, 0.9679290628144552}}));
  const auto interval = selftest::clopper_pearson(reference.count, reference.trials, 0.95);
  CHECK(interval.low == Approx(reference.low).epsilon(1e-9).margin(1e-15));
  CHECK(interval.high == Approx(reference.high).epsilon(1e-6));  // found by halving an interval of [0, 1]
}

TEST_CASE("Selftest: no trials say nothing", "[selftest]") {
  CHECK(selftest::clopper_pearson(0, 0, 0.95).low == 0);
  CHECK(selftest::clopper_pearson(0, 0, 0.95).high == 1);
}

TEST_CASE("Selftest: the t test's p is SciPy's, also with one value on a side", "[selftest]") {
  const std::vector<double> a = {10.1, 9.8, 10.3, 10.0, 9.9}, b = {10.9, 11.2, 10.8, 11.1};
  CHECK(selftest::t_test_p(a, b) == Approx(0.0001105286472681896).epsilon(1e-9));
  CHECK(selftest::t_test_p(a, std::vector<double>{10.9}) == Approx(0.013959999759927367).epsilon(1e-9));
  CHECK(selftest::moments_of(a).mean == Approx(10.02));
  CHECK(selftest::moments_of(a).variance == Approx(0.037));
}

TEST_CASE("Selftest: equal values have no error to divide by", "[selftest]") {
  const std::vector<double> three(3, 5.0), others(3, 6.0);
  CHECK(selftest::t_test_p(three, three) == 1);
  CHECK(selftest::t_test_p(three, others) == 0);
  CHECK(selftest::t_test_p(std::vector<double>{1}, std::vector<double>{2}) == 1);
}

}  // namespace tbci::statistics_test
