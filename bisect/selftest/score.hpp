// Scores of the searches on simulated days.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bisect/selftest/scenario.hpp"

namespace tbci::bisect::selftest {

enum class Method { search, git_bisect_once, git_bisect_median, torchbench, pinpoint };
std::string name_of(Method method);

/// The cost of a search on one day, and whether its result was right.
struct SearchOutcome {
  bool exact = false;       ///< names each culprit, or the set that cannot be told apart from it, and nothing else
  bool wrong = false;       ///< names a set of commits without a culprit
  int builds = 0;           ///< without the ends
  int processes = 0;        ///< including the ends
  int check_processes = 0;  ///< in addition: those of culprits and their parents
  int rounds = 0;           ///< build rounds, all builders at once
  int intervals = 0;        ///< of culprits that are named as they are
  int holding = 0;          ///< those of these intervals that hold the true change
};

/// Runs one search on one day. Errors: only those of a broken search.
Result<SearchOutcome> run_day(Method method, const Scenario& scenario, const TrueDay& day);

struct Spread {
  double mean = 0, most_of_95 = 0, worst = 0;  ///< `most_of_95`: 95% of the days need at most this
};

struct Score {
  Scenario scenario;
  Method method = Method::search;
  int days = 0, exact = 0, wrong = 0;  ///< the other days: names nothing, or too little
  Spread builds, processes, check_processes, rounds;
  int intervals = 0, holding = 0;  ///< of all days, see SearchOutcome
};

struct SimulationPlan {
  int days = 200;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
};

/// Scores of this search and, if the scenario asks for them, of the other searches. The same seed gives the same scores
/// with any number of jobs. Error `interrupted` once a stop was requested.
Result<std::vector<Score>> score(const Scenario& scenario, const SimulationPlan& plan, std::stop_token stop);

}  // namespace tbci::bisect::selftest
