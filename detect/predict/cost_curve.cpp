#include "detect/predict/cost_curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/assert.hpp"

namespace tbci::detect {

namespace {

std::vector<CostPoint> with_one_of_each_amount(std::vector<CostPoint> points) {
  std::ranges::stable_sort(points, {}, &CostPoint::amount);
  std::vector<CostPoint> merged;
  for (std::size_t i = 0; i < points.size();) {
    double sum = 0;
    std::size_t end = i;
    for (; end < points.size() && points[end].amount == points[i].amount; ++end) sum += points[end].nanoseconds;
    merged.push_back({points[i].amount, sum / static_cast<double>(end - i)});
    i = end;
  }
  return merged;
}

struct CostLine {
  double constant = 0, each = 0;
};

// A point counts by its part of its own value. With both free, or, where one were below 0, with the other alone.
CostLine least_squares_line(const std::vector<CostPoint>& points) {
  double ones = 0, x = 0, xx = 0, one = 0, sum = 0;  // of u = 1/y and v = x/y
  for (const CostPoint& point : points) {
    const double u = 1 / point.nanoseconds, v = point.amount / point.nanoseconds;
    ones += u * u;
    x += u * v;
    xx += v * v;
    one += u;
    sum += v;
  }
  const double determinant = ones * xx - x * x;
  CostLine line{.constant = one / ones, .each = 0};
  if (determinant > 1e-12 * ones * xx)
    line = {.constant = (one * xx - sum * x) / determinant, .each = (ones * sum - x * one) / determinant};
  if (line.each < 0) return {.constant = one / ones, .each = 0};
  if (line.constant < 0) return {.constant = 0, .each = sum / xx};
  return line;
}

// On the line of the two points around the amount, or of the two at the end that it lies beyond.
double on_segment(const std::vector<CostPoint>& points, double amount) {
  std::size_t second = 1;
  while (second + 1 < points.size() && amount > points[second].amount) ++second;
  const CostPoint &from = points[second - 1], &to = points[second];
  return from.nanoseconds + (to.nanoseconds - from.nanoseconds) * (amount - from.amount) / (to.amount - from.amount);
}

}  // namespace

CostCurve::CostCurve(std::vector<CostPoint> points) : points_(with_one_of_each_amount(std::move(points))) {
  TBCI_ASSERT(!points_.empty());
  if (std::ranges::any_of(points_, [](const CostPoint& point) { return point.nanoseconds <= 0; })) return;
  const CostLine line = least_squares_line(points_);
  constant_ = line.constant;
  each_ = line.each;
  is_line_ = std::ranges::all_of(points_, [&](const CostPoint& point) {
    return std::abs(constant_ + each_ * point.amount - point.nanoseconds) <= most_off * point.nanoseconds;
  });
}

double CostCurve::at(double amount) const {
  if (is_line_) return constant_ + each_ * amount;
  return std::max(value_along(points_, amount), 0.0);
}

double value_between(const std::vector<CostPoint>& points, double amount) {
  TBCI_ASSERT(!points.empty());
  return value_along(points, std::clamp(amount, points.front().amount, points.back().amount));
}

double value_along(const std::vector<CostPoint>& points, double amount) {
  TBCI_ASSERT(!points.empty());
  return points.size() == 1 ? points.front().nanoseconds : on_segment(points, amount);
}

}  // namespace tbci::detect
