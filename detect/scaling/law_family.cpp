#include "detect/scaling/law_family.hpp"

#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <limits>
#include <utility>

namespace tbci::detect {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double least_exponent = 0.02, most_exponent = 6;

using Matrix = std::array<std::array<double, law_parameters>, law_parameters>;

struct Value {
  double logarithm = 0;
  LawParameters slopes{};  // of the logarithm
};

// Nothing where the law is not above 0 there.
std::optional<Value> value_at(const LawData::Point& point, const LawParameters& p) {
  const double second = point.second ? 1 : 0;
  const double grown = std::exp(p[log_a] + second * p[step_log_a] + (p[b_exponent] + second * p[step_b]) * point.log_x);
  const double law = grown + p[c_constant] + second * p[step_c];
  if (!(law > 0) || !std::isfinite(law)) return std::nullopt;
  Value value{.logarithm = std::log(law), .slopes = {}};
  value.slopes[log_a] = grown / law;
  value.slopes[b_exponent] = grown * point.log_x / law;
  value.slopes[c_constant] = 1 / law;
  for (const auto& [step, base] : {std::pair{step_log_a, log_a}, {step_b, b_exponent}, {step_c, c_constant}})
    value.slopes[step] = second * value.slopes[base];
  return value;
}

bool exponent_is_sane(double exponent) {
  return std::abs(exponent) >= least_exponent && std::abs(exponent) <= most_exponent;
}

std::optional<double> squares_of(const LawData& data, const LawParameters& p) {
  if (!exponent_is_sane(p[b_exponent]) || !exponent_is_sane(p[b_exponent] + p[step_b])) return std::nullopt;
  double sum = 0;
  for (const LawData::Point& point : data.points) {
    const auto value = value_at(point, p);
    if (!value) return std::nullopt;
    sum += (point.log_y - value->logarithm) * (point.log_y - value->logarithm);
  }
  return sum;
}

// Gauss's elimination with pivots; a direction that nothing depends on stays 0.
LawParameters solved(Matrix m, LawParameters right, const LawMask& free) {
  LawParameters x{};
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < law_parameters; ++i) {
    if (free[i]) rows.push_back(i);
  }
  for (std::size_t k = 0; k < rows.size(); ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k + 1; i < rows.size(); ++i) {
      if (std::abs(m[rows[i]][rows[k]]) > std::abs(m[rows[pivot]][rows[k]])) pivot = i;
    }
    std::swap(m[rows[k]], m[rows[pivot]]);
    std::swap(right[rows[k]], right[rows[pivot]]);
    const double head = m[rows[k]][rows[k]];
    if (head == 0) return {};
    for (std::size_t i = k + 1; i < rows.size(); ++i) {
      const double factor = m[rows[i]][rows[k]] / head;
      for (std::size_t j = k; j < rows.size(); ++j) m[rows[i]][rows[j]] -= factor * m[rows[k]][rows[j]];
      right[rows[i]] -= factor * right[rows[k]];
    }
  }
  for (std::size_t k = rows.size(); k-- > 0;) {
    double rest = right[rows[k]];
    for (std::size_t j = k + 1; j < rows.size(); ++j) rest -= m[rows[k]][rows[j]] * x[rows[j]];
    x[rows[k]] = rest / m[rows[k]][rows[k]];
  }
  return x;
}

struct Normal {
  Matrix matrix{};
  LawParameters right{};
};

Normal normal_equations(const LawData& data, const LawParameters& p) {
  Normal normal;
  for (const LawData::Point& point : data.points) {
    const auto value = value_at(point, p);
    if (!value) continue;  // `p` is a law at all points
    const double residual = point.log_y - value->logarithm;
    for (std::size_t i = 0; i < law_parameters; ++i) {
      normal.right[i] += value->slopes[i] * residual;
      for (std::size_t j = 0; j < law_parameters; ++j) normal.matrix[i][j] += value->slopes[i] * value->slopes[j];
    }
  }
  return normal;
}

double middle_logarithm(const std::vector<ScalePoint>& some, const std::vector<ScalePoint>& others,
                        double ScalePoint::*number) {
  double sum = 0;
  for (const auto* points : {&some, &others}) {
    for (const ScalePoint& point : *points) sum += std::log(point.*number);
  }
  return sum / static_cast<double>(some.size() + others.size());
}

// With this parameter held, how much worse than the best, less what the interval allows.
struct Profile {
  const LawData& data;
  LawMask free;  // without the parameter
  LawParameter parameter;
  double limit;

  std::optional<LawFit> at(double value, LawParameters from) const {
    from[parameter] = value;
    return descend(data, from, free);
  }
};

// The last value on one side at which the profile is within its limit; infinite where it stays within. An exponent
// ends at the last one that is tried.
double end_of(const Profile& profile, const LawFit& best, double step) {
  constexpr int most_steps = 60, most_halvings = 40;
  double inside = best.parameters[profile.parameter], outside = inside;
  LawParameters at_inside = best.parameters;
  const auto is_inside = [&](double value) {
    const auto fit = profile.at(value, at_inside);
    const bool within = fit && fit->squares <= profile.limit;
    (within ? inside : outside) = value;
    if (within) at_inside = fit->parameters;
    return within;
  };
  int steps = 0;
  while (is_inside(inside + step)) {
    if (++steps == most_steps) return step > 0 ? infinity : -infinity;
    step *= 1.6;
  }
  for (int i = 0; i < most_halvings && std::abs(outside - inside) > 1e-6 * (std::abs(inside) + 1e-9); ++i)
    is_inside((inside + outside) / 2);
  return inside;
}

}  // namespace

LawData law_data(const std::vector<ScalePoint>& before, const std::vector<ScalePoint>& after) {
  LawData data;
  const double middle_x = middle_logarithm(before, after, &ScalePoint::x);
  const double middle_y = middle_logarithm(before, after, &ScalePoint::y);
  data.scale = std::exp(middle_x);
  data.unit = std::exp(middle_y);
  for (const auto* points : {&before, &after}) {
    for (const ScalePoint& point : *points) {
      data.points.push_back(
          {.log_x = std::log(point.x) - middle_x, .log_y = std::log(point.y) - middle_y, .second = points == &after});
    }
  }
  return data;
}

std::optional<LawFit> descend(const LawData& data, const LawParameters& start, const LawMask& free) {
  const auto first = squares_of(data, start);
  if (!first) return std::nullopt;
  LawFit fit{.parameters = start, .squares = *first};
  double damping = 1e-3;
  for (int round = 0; round < 200 && damping < 1e12; ++round) {
    Normal normal = normal_equations(data, fit.parameters);
    for (std::size_t i = 0; i < law_parameters; ++i)
      normal.matrix[i][i] += damping * std::max(normal.matrix[i][i], 1e-12);
    const LawParameters step = solved(normal.matrix, normal.right, free);
    LawParameters next = fit.parameters;
    for (std::size_t i = 0; i < law_parameters; ++i) next[i] += step[i];
    const auto squares = squares_of(data, next);
    if (!squares || *squares > fit.squares) {
      damping *= 4;
      continue;
    }
    const double gained = fit.squares - *squares;
    fit = {.parameters = next, .squares = *squares};
    damping = std::max(damping / 8, 1e-12);
    if (gained <= 1e-12 * fit.squares + 1e-28) break;
  }
  return fit;
}

std::optional<LawFit> best_fit(const LawData& data, Trend trend, const LawMask& free) {
  std::optional<LawFit> best;
  const double sign = trend == Trend::grows ? 1 : -1;
  for (const double exponent : {0.3, 0.7, 1.0, 1.5, 2.5}) {
    for (const double constant : {0.0, 0.3, 0.7}) {
      LawParameters start{};
      start[log_a] = std::log(1 - constant);
      start[b_exponent] = sign * exponent;
      start[c_constant] = constant;
      const auto fit = descend(data, start, free);
      if (fit && fit->parameters[b_exponent] * sign > 0 && (!best || fit->squares < best->squares)) best = fit;
    }
  }
  return best;
}

Bounded profile_interval(const LawData& data, const LawFit& best, const LawMask& free, LawParameter parameter,
                         std::size_t freedom) {
  const boost::math::fisher_f_distribution<double> fisher(1, static_cast<double>(freedom));
  const double quantile = boost::math::quantile(fisher, 0.95);
  // Points that lie on a law exactly have intervals of their rounding alone.
  const double least = 1e-20 * static_cast<double>(data.points.size());
  Profile profile{.data = data,
                  .free = free,
                  .parameter = parameter,
                  .limit = std::max(best.squares, least) * (1 + quantile / static_cast<double>(freedom))};
  profile.free[parameter] = false;
  const double error = std::sqrt(std::max(best.squares, least) / static_cast<double>(freedom));
  return {.value = best.parameters[parameter],
          .low = end_of(profile, best, -error / 4),
          .high = end_of(profile, best, error / 4)};
}

}  // namespace tbci::detect
