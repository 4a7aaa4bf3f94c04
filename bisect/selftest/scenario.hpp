// Kinds of days on which searches are held against each other.
#pragma once

#include <string>
#include <vector>

#include "bisect/selftest/baselines.hpp"
#include "bisect/selftest/simulated.hpp"

namespace tbci::bisect::selftest {

enum class PriorKind {
  none,   ///< all commits are equally likely
  right,  ///< a quarter of the commits touches what points at the culprit, the culprit with them 9 times in 10
  wrong   ///< it points, as strongly as it may, at a commit that is not the culprit
};

struct Scenario {
  std::string name;
  Machine machine;
  std::size_t regressions = 1;         ///< series that became slower, each by a commit of its own; 0: one that did not
  std::vector<double> steps = {0.08};  ///< of each of these series, at as many commits
  std::size_t builders = 1;
  PriorKind prior = PriorKind::none;
  double broken_begin = 0;  ///< share of the commits at which a stretch begins that does not build
  Interleave interleave = Interleave::automatic;
  bool rivals = false;  ///< held against the others as well
};

/// What `tbci selftest bisection` looks at.
std::vector<Scenario> scenarios();

struct TrueDay {
  SimulatedDay day;
  std::vector<Named> truth;  ///< for each series: what can be named, in the order of the commits
};

/// A day of 70 commits. The same for the same seed.
TrueDay make_day(const Scenario& scenario, std::uint64_t seed);

}  // namespace tbci::bisect::selftest
