#include "detect/change_points.hpp"

#include <algorithm>
#include <cmath>

#include "detect/robust.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::detect {

namespace {

using Values = std::span<const double>;

struct Split {
  std::size_t at = 0;
  double p = 1;
};

double mean(Values values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double squares(Values values) {
  const double middle = mean(values);
  double sum = 0;
  for (const double value : values) sum += (value - middle) * (value - middle);
  return sum;
}

/// Student's t of the two halves, for every place to split at (Bonferroni).
Split best_split(Values logs, std::size_t least) {
  Split best;
  if (logs.size() < 2 * least) return best;
  const std::size_t places = logs.size() - 2 * least + 1;
  for (std::size_t at = least; at + least <= logs.size(); ++at) {
    const Values left = logs.first(at), right = logs.subspan(at);
    const auto n = static_cast<double>(left.size()), m = static_cast<double>(right.size());
    const double variance = std::max((squares(left) + squares(right)) / (n + m - 2), 1e-8);
    const double t = std::abs(mean(right) - mean(left)) / std::sqrt(variance * (1 / n + 1 / m));
    const double p = std::min(1.0, 2 * student_t_upper_tail(t, n + m - 2) * static_cast<double>(places));
    if (p < best.p) best = {at, p};
  }
  return best;
}

void split_further(Values logs, std::size_t from, const ChangePointOptions& options, std::vector<ChangePoint>& found) {
  const Split split = best_split(logs, static_cast<std::size_t>(std::max(2, options.min_segment)));
  if (split.p >= options.alpha) return;
  split_further(logs.first(split.at), from, options, found);
  found.push_back({from + split.at, 0, 0, 0, split.p});
  split_further(logs.subspan(split.at), from + split.at, options, found);
}

}  // namespace

std::vector<ChangePoint> change_points(std::span<const double> values, const ChangePointOptions& options) {
  std::vector<double> logs;
  for (const double value : values) logs.push_back(std::log(value));
  std::vector<ChangePoint> points;
  split_further(logs, 0, options, points);
  const auto level = [&](std::size_t from, std::size_t to) {
    const auto part = values.subspan(from, to - from);
    return model::median({part.begin(), part.end()});
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    ChangePoint& point = points[i];
    point.before = level(i == 0 ? 0 : points[i - 1].night, point.night);
    point.after = level(point.night, i + 1 == points.size() ? values.size() : points[i + 1].night);
    point.change = point.after / point.before - 1;
  }
  std::erase_if(points, [&](const ChangePoint& one) { return std::abs(one.change) < options.least_change; });
  return points;
}

}  // namespace tbci::detect
