// Least squares of the laws of one or two builds, with any of their parameters held. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "detect/scaling/power_law.hpp"

namespace tbci::detect {

/// y = exp(log_a) x^b + c of the first build; the steps are added for the second one.
enum LawParameter : std::size_t { log_a, b_exponent, c_constant, step_log_a, step_b, step_c, law_parameters };
using LawParameters = std::array<double, law_parameters>;
using LawMask = std::array<bool, law_parameters>;  ///< which are free

/// The points of both builds. x is by their middle (`scale`) and y by its own (`unit`), so that numbers are near 1.
struct LawData {
  struct Point {
    double log_x = 0, log_y = 0;
    bool second = false;
  };
  std::vector<Point> points;
  double scale = 1, unit = 1;
};
LawData law_data(const std::vector<ScalePoint>& before, const std::vector<ScalePoint>& after = {});

struct LawFit {
  LawParameters parameters{};
  double squares = 0;  ///< of the logarithms' differences
};

/// From a starting point to the nearest minimum (Levenberg and Marquardt). Nothing where the start is not a law: it
/// must be above 0 at all points.
std::optional<LawFit> descend(const LawData& data, const LawParameters& start, const LawMask& free);

/// The best of several starts: exponents of either sign of the trend.
std::optional<LawFit> best_fit(const LawData& data, Trend trend, const LawMask& free);

/// The 95% interval of one parameter by its profile; `freedom`: points less free parameters.
Bounded profile_interval(const LawData& data, const LawFit& best, const LawMask& free, LawParameter parameter,
                         std::size_t freedom);

}  // namespace tbci::detect
