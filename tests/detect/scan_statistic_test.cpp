// Reference values: overshoot from its definition, 2 x^-2 exp(-2 sum F(-x sqrt(n) / 2) / n), with 20,000 terms, and
// the closed form of Siegmund and Yakir with scipy.stats.norm (SciPy 1.17). Tails simulated with NumPy: the largest of
// |mean(0..j) - mean(j..k)| / sqrt(1/j + 1/(k - j)) over all j >= 3, k - j >= 3 of standard Gaussian values,
// numpy.random.default_rng(20261121), 40,000 series (3,000 of 365 nights).
#include "detect/scan_statistic.hpp"

#include <cmath>

#include "tests/catch.hpp"

namespace tbci::scan_statistic_test {

using tbci::detect::overshoot;
using tbci::detect::scan_tail;
using tbci::test::Approx;

TEST_CASE("Scan statistic: the overshoot is Siegmund and Yakir's, within 2.1% of the definition up to 2", "[detect]") {
  struct Reference {
    double x, closed_form, definition;
  };
  const auto reference = GENERATE(values<Reference>({{0.5, 0.7361409631518503, 0.7476150103326696},
                                                     {1, 0.5487629861260612, 0.5603702284200532},
                                                     {2, 0.315092653373968, 0.32043464193311944},
                                                     {3, 0.18884059126132702, 0.19039541437818108}}));
  CHECK(overshoot(reference.x) == Approx(reference.closed_form).epsilon(1e-12));
  CHECK(overshoot(reference.x) == Approx(reference.definition).epsilon(reference.x > 2 ? 0.03 : 0.021));
  CHECK(overshoot(0) == 1);
}

TEST_CASE("Scan statistic: chance is as often above it as simulated", "[detect]") {
  struct Reference {
    double z;
    std::size_t nights;
    double tail, margin;  // three standard errors of the simulation
  };
  const auto reference = GENERATE(values<Reference>({{3, 10, 0.01695, 0.0020},
                                                     {3.5, 10, 0.003325, 0.0009},
                                                     {4, 10, 0.0003, 0.00036},
                                                     {3.5, 30, 0.026625, 0.0025},
                                                     {4, 30, 0.0045, 0.0010},
                                                     {4.25, 30, 0.001625, 0.0006},
                                                     {4, 365, 0.0916667, 0.0158},
                                                     {4.25, 365, 0.0353333, 0.0101}}));
  CAPTURE(reference.z, reference.nights);
  CHECK(scan_tail(reference.z, reference.nights, 3) == Approx(reference.tail).margin(reference.margin));
}

TEST_CASE("Scan statistic: rarer for larger steps, more often in longer series and for shorter levels", "[detect]") {
  CHECK(scan_tail(3, 365, 3) == 1);  // some comparison is as far off in almost every series
  for (double z = 4; z < 14; z += 0.25) CHECK(scan_tail(z + 0.25, 365, 3) < scan_tail(z, 365, 3));
  CHECK(scan_tail(5, 1000, 3) > scan_tail(5, 365, 3));
  CHECK(scan_tail(5, 365, 3) > scan_tail(5, 365, 10));
}

TEST_CASE("Scan statistic: of one possible comparison it is the Gaussian's own", "[detect]") {
  CHECK(scan_tail(4, 6, 3) <= std::erfc(4 / std::sqrt(2.0)) * 1.0001);
  CHECK(scan_tail(4, 5, 3) == 0);
  CHECK(scan_tail(0, 100, 3) == 1);
  CHECK(scan_tail(std::nan(""), 100, 3) == 1);
}

}  // namespace tbci::scan_statistic_test
