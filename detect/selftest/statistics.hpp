// Statistics that the comparison needs and the judgement does not. Pure; safe from any thread.
#pragma once

#include <cstdint>
#include <span>

namespace tbci::detect::selftest {

struct Moments {
  double mean = 0;
  double variance = 0;  ///< of the sample (n - 1); 0 for one value
};
/// Not empty.
Moments moments_of(std::span<const double> values);

/// Two-sided p of Student's t test for equal variances. 1 where there are fewer than three values in all; for equal
/// values 1 or 0. Neither is empty.
double t_test_p(std::span<const double> left, std::span<const double> right);

struct Proportion {
  double low = 0, high = 1;
};
/// The exact interval of a binomial proportion that covers it with `confidence` (Clopper and Pearson, "The use of
/// confidence or fiducial limits illustrated in the case of the binomial", Biometrika 1934). 0 <= count <= trials; for
/// no trials all of [0, 1].
Proportion clopper_pearson(std::int64_t count, std::int64_t trials, double confidence);

}  // namespace tbci::detect::selftest
