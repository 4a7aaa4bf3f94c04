#include "bisect/selftest/scenario.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bisect/prior.hpp"

namespace tbci::bisect::selftest {
namespace {

constexpr std::size_t commits_of_day = 70;
constexpr double touching_share = 0.25;  ///< share of the commits that a right prior favours
constexpr double right_share = 0.9;      ///< share of the culprits among them
constexpr double touching_weight = 20;
constexpr double stretch_goes_on = 0.5;  ///< probability that another broken commit follows

constexpr SimulatedMachine quiet{0.02, 0, 1.5, 0};
constexpr SimulatedMachine slow_processes{0.05, 0.02, 1.5, 0};

using Random = std::mt19937_64;

bool happens(Random& random, double share) {
  return std::uniform_real_distribution<double>()(random) < share;
}

std::vector<std::size_t> different_commits(std::size_t count, Random& random) {
  std::vector<std::size_t> all(commits_of_day);
  std::iota(all.begin(), all.end(), std::size_t{1});
  std::shuffle(all.begin(), all.end(), random);
  all.resize(count);
  return all;
}

void break_commits(SimulatedDay& day, double begin, Random& random) {
  for (std::size_t at = 1; at < day.commits; ++at) {
    const bool goes_on = day.broken.count(at - 1) != 0 && happens(random, stretch_goes_on);
    if (goes_on || happens(random, begin)) day.broken.insert(at);
  }
}

/// The commits that no search can tell apart from the culprit.
std::vector<std::size_t> undecidable(const SimulatedDay& day, std::size_t culprit) {
  std::size_t first = culprit, last = culprit;
  while (day.broken.count(first - 1) != 0) --first;
  while (day.broken.count(last) != 0) ++last;
  std::vector<std::size_t> all(last - first + 1);
  std::iota(all.begin(), all.end(), first);
  return all;
}

std::vector<double> right_prior(std::size_t culprit, Random& random) {
  std::vector<double> weights;
  const bool touches = happens(random, right_share);
  for (std::size_t at = 0; at <= commits_of_day; ++at) {
    const bool likely = at == culprit ? touches : happens(random, touching_share);
    weights.push_back(likely ? touching_weight : 1);
  }
  return weights;
}

std::vector<double> wrong_prior(std::size_t culprit, Random& random) {
  std::vector<double> weights(commits_of_day + 1, 1.0);
  std::size_t other = culprit;
  while (other == culprit) other = std::uniform_int_distribution<std::size_t>(1, commits_of_day)(random);
  weights[other] = most_prior_ratio;
  return weights;
}

}  // namespace

std::vector<Scenario> scenarios() {
  std::vector<Scenario> all;
  for (const SimulatedMachine& machine :
       {SimulatedMachine{0.01, 0, 1.5, 0}, quiet, SimulatedMachine{0.03, 0.02, 1.5, 0}, slow_processes}) {
    Scenario one{.name = "one culprit of 8%", .machine = machine};
    one.with_other_searches = true;
    all.push_back(one);
  }
  all.push_back({.name = "no culprit", .machine = quiet, .regressions = 0});
  all.push_back({.name = "no culprit", .machine = slow_processes, .regressions = 0});
  all.push_back({.name = "one of 8%, always in pairs", .machine = quiet, .interleave = Interleave::always});
  all.push_back({.name = "one of 8%, the machine moves by 3%", .machine = {0.02, 0, 1.5, 0.03}});
  for (const double step : {0.08, 0.3}) {
    SimulatedMachine shared_with_others = quiet;
    shared_with_others.burst_begins = 0.05;
    all.push_back({.name = fmt::format("one of {:.0f}%", 100 * step), .machine = shared_with_others, .steps = {step}});
    shared_with_others.burst_processes = 20;
    all.push_back({.name = fmt::format("one of {:.0f}%", 100 * step), .machine = shared_with_others, .steps = {step}});
  }
  all.push_back({.name = "no culprit", .machine = {.noise = 0.02, .burst_begins = 0.05}, .regressions = 0});
  all.push_back({.name = "two steps of 4% in one series", .machine = quiet, .steps = {0.04, 0.04}});
  all.push_back({.name = "15%, and -6% before or after it", .machine = quiet, .steps = {0.15, -0.06}});
  all.push_back({.name = "100%, and 10% before or after it", .machine = quiet, .steps = {1.0, 0.1}});
  all.push_back({.name = "10%, and 3% before or after it", .machine = quiet, .steps = {0.1, 0.03}});
  all.push_back({.name = "three steps of 5% in one series", .machine = quiet, .steps = {0.05, 0.05, 0.05}});
  for (const double share : {0.01, 0.03}) {
    SimulatedMachine crashing = quiet;
    crashing.crash_share = share;
    all.push_back({.name = fmt::format("one of 8%, {:.0f}% of the processes crash", 100 * share), .machine = crashing});
  }
  all.push_back({.name = "one of 8%, touched paths point at it", .machine = quiet, .prior = PriorKind::right});
  all.push_back({.name = "one of 8%, the prior points elsewhere", .machine = quiet, .prior = PriorKind::wrong});
  all.push_back({.name = "one of 8%, broken stretches", .machine = quiet, .broken_begin = 0.05});
  for (const std::size_t regressions : {2U, 4U, 8U})
    all.push_back({.name = "culprits of 8% each", .machine = quiet, .regressions = regressions});
  for (const SimulatedMachine& machine : {quiet, slow_processes}) {
    const std::vector<double> shared{0.1, 0.15, 0.3, 0.08};
    all.push_back({.name = "four series slower by one commit", .machine = machine, .regressions = 0, .shared = shared});
    all.push_back(
        {.name = "the same, and 10% of a fifth elsewhere", .machine = machine, .steps = {0.1}, .shared = shared});
  }
  all.push_back({.name = "one culprit of 8%", .machine = quiet, .builders = 4});
  for (const std::size_t regressions : {4U, 8U})
    all.push_back({.name = "culprits of 8% each", .machine = quiet, .regressions = regressions, .builders = 4});
  return all;
}

TrueDay make_day(const Scenario& scenario, std::uint64_t seed) {
  Random random(seed);
  TrueDay made;
  SimulatedDay& day = made.day;
  day.commits = commits_of_day;
  day.machine = scenario.machine;
  day.seed = random();
  day.series = std::max<std::size_t>(1, scenario.regressions + scenario.shared.size());
  if (scenario.broken_begin > 0) break_commits(day, scenario.broken_begin, random);
  const std::size_t own = scenario.regressions * scenario.steps.size();
  const auto culprits = different_commits(own + (scenario.shared.empty() ? 0 : 1), random);
  made.truth.resize(day.series);
  for (std::size_t i = 0; i < scenario.shared.size(); ++i) {
    const std::size_t series = scenario.regressions + i;
    day.slowdowns.push_back({culprits[own], series, scenario.shared[i]});
    made.truth[series].push_back(undecidable(day, culprits[own]));
  }
  for (std::size_t i = 0; i < own; ++i) {
    const std::size_t series = i / scenario.steps.size();
    day.slowdowns.push_back({culprits[i], series, scenario.steps[i % scenario.steps.size()]});
    made.truth[series].push_back(undecidable(day, culprits[i]));
    std::sort(made.truth[series].begin(), made.truth[series].end());
    if (scenario.prior == PriorKind::right) day.priors[series_of(series)] = right_prior(culprits[i], random);
    if (scenario.prior == PriorKind::wrong) day.priors[series_of(series)] = wrong_prior(culprits[i], random);
  }
  return made;
}

}  // namespace tbci::bisect::selftest
