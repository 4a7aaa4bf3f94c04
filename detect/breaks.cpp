#include "detect/breaks.hpp"

#include <algorithm>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace tbci::detect {
namespace {

/// Odds from which on a break is confirmed. Three failures of three beside none of three have 357.
constexpr double confirming_odds = 300;
/// Odds at which it is clear.
constexpr double clearing_odds = 0.1;
/// A process of a working build that crashed by chance beside a broken one looks as if both were broken.
constexpr int least_pairs_to_clear = 3;
constexpr int most_pairs = 40;
/// Odds with which builds before a break have worked. Two nights of three processes that ran have 147.
constexpr double working_odds = 50;

double log_beta(double a, double b) {
  return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
}

}  // namespace

Trials operator+(const Trials& one, const Trials& other) {
  return {one.processes + other.processes, one.failures + other.failures};
}

bool is_failure(const model::Measurement& measurement) {
  return measurement.outcome != model::Outcome::done || measurement.finite == false;
}

Trials trials_of(std::span<const model::Measurement> measurements) {
  return {static_cast<int>(measurements.size()), static_cast<int>(std::ranges::count_if(measurements, is_failure))};
}

double log_probability(const Trials& trials, const FailureShare& share) {
  const int successes = trials.processes - trials.failures;
  return log_beta(share.failures + trials.failures, share.successes + successes) -
         log_beta(share.failures, share.successes);
}

double log_odds_of_break(const Trials& before, const Trials& after) {
  const double broke = log_probability(before, share_if_working) + log_probability(after, share_if_broken);
  const Trials all = before + after;
  const double work = log_probability(all, share_if_working), broken = log_probability(all, share_if_broken);
  const double more = std::max(work, broken), less = std::min(work, broken);
  return broke - (more + std::log1p(std::exp(less - more)) - std::log(2.0));
}

model::Verdict confirm_break(const Trials& before, const Trials& after) {
  if (after.processes == 0) return model::Verdict::suspect;
  const double odds = log_odds_of_break(before, after);
  if (after.failures >= least_failures && odds >= std::log(confirming_odds)) return model::Verdict::regression;
  if (after.processes >= least_pairs_to_clear && odds <= std::log(clearing_odds)) return model::Verdict::clear;
  return after.processes >= most_pairs ? model::Verdict::inconclusive : model::Verdict::suspect;
}

std::size_t first_broken(std::span<const Trials> builds) {
  std::size_t first = builds.size();
  double sum = 0, most = 0;
  for (std::size_t i = builds.size(); i-- > 0 && most - sum < std::log(working_odds);) {
    sum += log_probability(builds[i], share_if_broken) - log_probability(builds[i], share_if_working);
    if (sum <= most) continue;
    most = sum;
    first = i;
  }
  return first;
}

model::Interval interval_of_share(const Trials& trials) {
  constexpr double tail = 0.025;
  const double a = share_if_broken.failures + trials.failures;
  const double b = share_if_broken.successes + (trials.processes - trials.failures);
  return {boost::math::ibeta_inv(a, b, tail), boost::math::ibeta_inv(a, b, 1 - tail)};
}

double chance_to_hide(const Trials& seen, int processes) {
  const double a = share_if_broken.failures + seen.failures;
  const double b = share_if_broken.successes + (seen.processes - seen.failures);
  return std::exp(log_beta(a, b + processes) - log_beta(a, b));
}

int processes_until_over(double least_share) {
  constexpr double least_chance = 0.001;
  constexpr double most = 1000;
  if (least_share >= 1) return 1;
  const double wanted = least_share > 0 ? std::ceil(std::log(least_chance) / std::log1p(-least_share)) : most;
  return static_cast<int>(std::clamp(wanted, 1.0, most));
}

}  // namespace tbci::detect
