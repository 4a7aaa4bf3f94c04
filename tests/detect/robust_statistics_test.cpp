// Reference values: SciPy 1.17.1. Means and standard errors from stats.ttest_ind(x, constant, trim=...,
// equal_var=False) (Yuen's test), whose statistic is (mean - constant) / standard error; tails and quantiles from
// stats.t.sf and .isf.
#include "detect/robust_statistics.hpp"

#include <cmath>
#include <vector>

#include "tests/catch.hpp"

namespace tbci::robust_statistics_test {

using tbci::detect::Estimate;
using tbci::test::Approx;
namespace detect = tbci::detect;

namespace {
const std::vector<double> with_two_wild = {0.081, 0.079, 0.092, 0.064, 0.31, 0.085, 0.077, -0.12, 0.088, 0.083, 0.071};
const std::vector<double> with_one_wild = {0.011, -0.008, 0.002, 0.02, -0.013, 0.001, 0.004, -0.2, 0.009, 0.006};

Approx near(double value) {
  return Approx(value).epsilon(1e-10);
}
}  // namespace

TEST_CASE("Robust statistics: trimmed means and their errors are SciPy's", "[detect]") {
  struct Reference {
    const std::vector<double>& values;
    double trim, mean, error, degrees;
  };
  const Reference reference = GENERATE(values<Reference>({
      {with_two_wild, 0.2, 0.08057142857142859, 0.00337933623954667, 6},
      {with_one_wild, 0.2, 0.002333333333333333, 0.003942926155365664, 5},
      {with_two_wild, 0.1, 0.08, 0.0037053742023981846, 8},
      {with_one_wild, 0.1, 0.0015, 0.0037129118338191506, 7},
      {with_two_wild, 0.0, 0.08272727272727272, 0.029140440786923568, 10},
      {with_one_wild, 0.0, -0.016800000000000002, 0.020566855752777467, 9},
  }));
  const Estimate estimate = detect::trimmed_mean(reference.values, reference.trim, 0);
  CHECK(estimate.location == near(reference.mean));
  CHECK(estimate.standard_error == near(reference.error));
  CHECK(estimate.degrees == reference.degrees);
}

TEST_CASE("Robust statistics: tails and quantiles of Student's t are SciPy's", "[detect]") {
  CHECK(detect::student_t_upper_quantile(1e-5, 5) == near(15.546854534954758));
  CHECK(detect::student_t_upper_quantile(1e-3, 5) == near(5.893429531356009));
  CHECK(detect::student_t_upper_quantile(2e-4, 3) == near(17.59793536592841));
  CHECK(detect::student_t_upper_quantile(1e-5, 23) == near(5.343026536314815));
  CHECK(detect::student_t_upper_quantile(0.025, 10) == near(2.2281388519862753));
  CHECK(detect::student_t_upper_tail(2.0, 4) == near(0.05805826175840778));
  CHECK(detect::student_t_upper_tail(5.3, 23) == near(1.1115790525854964e-05));
  CHECK(detect::student_t_upper_tail(-1.5, 7) == near(0.911350756505015));
}

TEST_CASE("Robust statistics: the scaled MAD is SciPy's", "[detect]") {
  CHECK(detect::scaled_mad(with_two_wild) == near(0.010378199999999988));
  CHECK(detect::scaled_mad(with_one_wild) == near(0.010378199999999999));
}

TEST_CASE("Robust statistics: equal values are not perfect knowledge", "[detect]") {
  const std::vector<double> equal(9, 0.25);
  const Estimate estimate = detect::trimmed_mean(equal, 0.2, 0.003);
  CHECK(estimate.location == near(0.25));
  CHECK(estimate.standard_error == near(0.003 / std::sqrt(7.0)));  // 9 values, 1 cut from each end
  CHECK(detect::lower_bound(estimate, 1e-3) < 0.25);
}

TEST_CASE("Robust statistics: one value says nothing of its error", "[detect]") {
  const Estimate estimate = detect::trimmed_mean(std::vector<double>{0.5}, 0.2, 0.001);
  CHECK(estimate.location == 0.5);
  CHECK(std::isinf(detect::lower_bound(estimate, 0.1)));
  CHECK(std::isinf(detect::upper_bound(estimate, 0.1)));
}

}  // namespace tbci::robust_statistics_test
