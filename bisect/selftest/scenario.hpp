// Kinds of simulated days on which searches are compared.
#pragma once

#include <string>
#include <vector>

#include "bisect/search_settings.hpp"
#include "bisect/selftest/other_searches.hpp"
#include "bisect/selftest/simulated.hpp"

namespace tbci::bisect::selftest {

enum class PriorKind {
  none,   ///< all commits are equally likely
  right,  ///< favours a quarter of the commits; the culprit is one of them 9 times in 10
  wrong   ///< favours, as strongly as possible, a commit that is not the culprit
};

struct Scenario {
  std::string name;
  SimulatedMachine machine;
  std::size_t regressions = 1;         ///< series with a regression, each with its own culprits; 0: one series without
  std::vector<double> steps = {0.08};  ///< the steps of each of these series, each at its own commit
  std::vector<double> shared{};        ///< the steps of further series, all at one commit
  std::size_t builders = 1;
  PriorKind prior = PriorKind::none;
  double broken_begin = 0;  ///< share of the commits that begin a stretch that does not build
  Interleave interleave = Interleave::automatic;
  bool with_other_searches = false;  ///< other searches search the same days as well
};

/// The scenarios of `tbci selftest bisection`.
std::vector<Scenario> scenarios();

struct TrueDay {
  SimulatedDay day;
  std::vector<NamedCulprits> truth;  ///< for each series: what a perfect search names, in the order of the commits
};

/// A day of 70 commits. The same seed gives the same day.
TrueDay make_day(const Scenario& scenario, std::uint64_t seed);

}  // namespace tbci::bisect::selftest
