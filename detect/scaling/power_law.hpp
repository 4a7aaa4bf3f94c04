// How a time grows with a size: y = a x^b + c, the form in which "Understanding Scaling Laws for Recommendation Models"
// (Ardalani et al. 2022) fits losses. Of times: `c` is what every iteration costs, `a` what the size
// costs, `b` how. Pure; safe from any thread.
#pragma once

#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace tbci::detect {

/// One size, and what was measured at it: medians over processes. Both above 0.
struct ScalePoint {
  double x = 0, y = 0;
};

/// A number with its 95% interval, which may be infinite at an end.
struct Bounded {
  double value = 0, low = 0, high = 0;
};

struct PowerLaw {
  Bounded a, b, c;
  double error = 0;  ///< standard deviation of a point, as a part of its value

  double at(double x) const;
};

/// Which way a law goes: a time grows with a size, a loss falls.
enum class Trend { grows, falls };

inline constexpr std::size_t least_scale_points = 4;

/// The law of the least squares of the logarithms: errors are parts of a value. Its intervals are those of the profile
/// of the sum of squares by F(1, n - 3) (Bates and Watts, "Nonlinear Regression Analysis", 1988, chapter 6), so
/// they need not be symmetric. Exponents from 0.02 to 6 are tried. Errors (failed), as "no law: ...": fewer than four
/// sizes, numbers that are not above 0, points that are flat or go the other way, points that no power describes.
Result<PowerLaw> fit_power_law(const std::vector<ScalePoint>& points, Trend trend = Trend::grows);

/// What differs between two builds that were measured at the same kind of sizes.
struct LawChange {
  PowerLaw before, after;
  bool one_exponent = true;  ///< one b describes both; false: the algorithm may be another one
  Bounded ratio_of_a;        ///< after by before; with one exponent for both, where one describes both
  Bounded difference_of_c;   ///< after less before, in the unit of y
  bool a_changed() const { return ratio_of_a.low > 1 || ratio_of_a.high < 1; }
  bool c_changed() const { return difference_of_c.low > 0 || difference_of_c.high < 0; }
};

/// Fits both together. Whether one exponent is enough is an F test at 1%. Errors: as of fit_power_law, with the build.
Result<LawChange> compare_power_laws(const std::vector<ScalePoint>& before, const std::vector<ScalePoint>& after,
                                     Trend trend = Trend::grows);

}  // namespace tbci::detect
