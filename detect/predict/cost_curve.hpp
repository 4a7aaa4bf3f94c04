// What a call takes by how much it has to do, between the amounts that were measured and beyond them. Pure; safe from
// any thread.
#pragma once

#include <vector>

namespace tbci::detect {

struct CostPoint {
  double amount = 0;  ///< bytes, floating-point operations, samples: above 0
  double nanoseconds = 0;
};

/// A constant and a cost of each unit, both at least 0, of the least squares of the relative errors, where that is
/// within CostCurve::most_off of each point. Else straight lines from point to point: one level of the caches passes
/// into another one, or the library takes another way. Beyond the points the last of these lines goes on.
class CostCurve {
 public:
  static constexpr double most_off = 0.05;  ///< of a point

  /// Points of one amount count as one with their mean; at least one (asserts). From one point alone the cost is the
  /// same for any amount.
  explicit CostCurve(std::vector<CostPoint> points);

  double at(double amount) const;  ///< nanoseconds, at least 0
  bool is_line() const { return is_line_; }

 private:
  std::vector<CostPoint> points_;
  bool is_line_ = false;
  double constant_ = 0, each_ = 0;
};

/// Straight lines from point to point, by a rising amount; values may be below 0. Beyond the points: the value of the
/// nearest one. At least one point (asserts).
double value_between(const std::vector<CostPoint>& points, double amount);
/// The same, but beyond the points the last of the lines goes on.
double value_along(const std::vector<CostPoint>& points, double amount);

}  // namespace tbci::detect
