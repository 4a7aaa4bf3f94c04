#include "detect/scaling/power_law.hpp"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <set>

#include "detect/scaling/law_family.hpp"

namespace tbci::detect {

namespace {

constexpr LawMask one_build = {true, true, true, false, false, false};
constexpr LawMask two_builds = {true, true, true, true, true, true};
constexpr LawMask two_builds_one_exponent = {true, true, true, true, false, true};

template <class... Args>
tl::unexpected<Error> no_law(fmt::format_string<Args...> text, Args&&... args) {
  return fail(ErrorKind::failed, "no law: {}", fmt::format(text, std::forward<Args>(args)...));
}

Status check(const std::vector<ScalePoint>& points) {
  std::set<double> sizes;
  for (const ScalePoint& point : points) {
    if (!(point.x > 0) || !(point.y > 0) || !std::isfinite(point.x) || !std::isfinite(point.y))
      return no_law("{:g} at size {:g} is not a number above 0", point.y, point.x);
    sizes.insert(point.x);
  }
  if (sizes.size() < least_scale_points)
    return no_law("{} sizes are too few, it takes {}", sizes.size(), least_scale_points);
  return {};
}

// Of the straight line through the logarithms.
struct Line {
  double slope = 0;    // which way the trend goes: above 0
  double certain = 0;  // half of its 95% interval
};

Line line_through(const LawData& data, Trend trend) {
  double xx = 0, xy = 0, yy = 0;
  for (const auto& point : data.points) {
    xx += point.log_x * point.log_x;
    xy += point.log_x * point.log_y;
    yy += point.log_y * point.log_y;
  }
  const auto freedom = static_cast<double>(data.points.size()) - 2;
  const double squares = std::max(yy - xy * xy / xx, 0.0);
  const boost::math::fisher_f_distribution<double> fisher(1, freedom);
  return {.slope = xy / xx * (trend == Trend::grows ? 1 : -1),
          .certain = std::sqrt(boost::math::quantile(fisher, 0.95) * squares / freedom / xx)};
}

// Whether the law describes the values for sure better than one number does.
bool beats_a_constant(const LawData& data, const LawFit& fit, std::size_t freedom) {
  double constant = 0;  // the logarithms' mean is 0
  for (const auto& point : data.points) constant += point.log_y * point.log_y;
  const boost::math::fisher_f_distribution<double> fisher(2, static_cast<double>(freedom));
  const double gained = (constant - fit.squares) / 2 / (std::max(fit.squares, 1e-28) / static_cast<double>(freedom));
  return gained > boost::math::quantile(fisher, 0.95);
}

Bounded scaled(const Bounded& one, double factor) {
  return {one.value * factor, one.low * factor, one.high * factor};
}

Bounded exponential(const Bounded& one) {
  return {std::exp(one.value), std::exp(one.low), std::exp(one.high)};
}

// `a` belongs to sizes as they are, not to sizes by their middle: the same law with another exponent has another `a`.
std::pair<LawData, LawFit> by_sizes_as_they_are(LawData data, LawFit fit) {
  const double moved = std::log(data.scale);
  for (auto& point : data.points) point.log_x += moved;
  fit.parameters[log_a] -= fit.parameters[b_exponent] * moved;
  fit.parameters[step_log_a] -= fit.parameters[step_b] * moved;
  return {std::move(data), fit};
}

}  // namespace

double PowerLaw::at(double x) const {
  return a.value * std::pow(x, b.value) + c.value;
}

Result<PowerLaw> fit_power_law(const std::vector<ScalePoint>& points, Trend trend) {
  TBCI_TRY(check(points));
  const LawData data = law_data(points);
  const Line line = line_through(data, trend);
  if (line.slope + line.certain < 0)
    return no_law("the values {} with the size", trend == Trend::grows ? "fall" : "grow");
  const auto best = best_fit(data, trend, one_build);
  if (!best) return no_law("no power of the size describes the values");
  const std::size_t freedom = std::max<std::size_t>(points.size() - 3, 1);
  // A constant part bends the line, so few points may be far from it and lie on a law.
  if (line.slope - line.certain <= 0 && !beats_a_constant(data, *best, freedom))
    return no_law("the values do not change with the size, beside their spread");
  const auto interval = [&](const LawData& in, const LawFit& fit, LawParameter parameter) {
    return profile_interval(in, fit, one_build, parameter, freedom);
  };
  PowerLaw law;
  law.b = interval(data, *best, b_exponent);
  law.c = scaled(interval(data, *best, c_constant), data.unit);
  law.error = std::sqrt(best->squares / static_cast<double>(freedom));
  const auto [as_they_are, same] = by_sizes_as_they_are(data, *best);
  law.a = scaled(exponential(interval(as_they_are, same, log_a)), data.unit);
  return law;
}

Result<LawChange> compare_power_laws(const std::vector<ScalePoint>& before, const std::vector<ScalePoint>& after,
                                     Trend trend) {
  LawChange change;
  auto first = fit_power_law(before, trend), second = fit_power_law(after, trend);
  if (!first) return fail(first.error(), "the build before");
  if (!second) return fail(second.error(), "the build after");
  change.before = *first;
  change.after = *second;
  const LawData data = law_data(before, after);
  const auto together = best_fit(data, trend, two_builds_one_exponent), apart = best_fit(data, trend, two_builds);
  if (!together || !apart) return no_law("no power of the size describes both builds");
  const std::size_t freedom = std::max<std::size_t>(data.points.size() - 6, 1);
  const boost::math::fisher_f_distribution<double> fisher(1, static_cast<double>(freedom));
  const double worse = (together->squares - apart->squares) / std::max(apart->squares, 1e-28);
  change.one_exponent = worse * static_cast<double>(freedom) <= boost::math::quantile(fisher, 0.99);
  const LawMask& free = change.one_exponent ? two_builds_one_exponent : two_builds;
  const LawFit& best = change.one_exponent ? *together : *apart;
  const std::size_t left = change.one_exponent ? freedom + 1 : freedom;
  const auto [as_they_are, same] = by_sizes_as_they_are(data, best);
  change.ratio_of_a = exponential(profile_interval(as_they_are, same, free, step_log_a, left));
  change.difference_of_c = scaled(profile_interval(data, best, free, step_c, left), data.unit);
  return change;
}

}  // namespace tbci::detect
