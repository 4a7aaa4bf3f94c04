// How the searches do on simulated days.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "bisect/selftest/scenario.hpp"

namespace tbci::bisect::selftest {

enum class Method { search, git_bisect_once, git_bisect_median, torchbench, pinpoint };
std::string name_of(Method method);

/// What a search cost on one day, and whether it was right.
struct Outcome {
  bool exact = false;  ///< each culprit is named, or those that can't be told from it, and nothing else
  bool wrong = false;  ///< names a commit that is none, or a set without the culprit
  int builds = 0;      ///< the ends not counted
  int runs = 0;        ///< the ends counted
  int check_runs = 0;  ///< besides: of culprits beside their parents
  int rounds = 0;      ///< of building, with all builders at work
};

/// Errors: none but those of a broken search.
Result<Outcome> play(Method method, const Scenario& scenario, const TrueDay& day);

struct Spread {
  double mean = 0, most_of_95 = 0, worst = 0;  ///< `most_of_95`: 95% of the days have at most that
};

struct Score {
  Scenario scenario;
  Method method = Method::search;
  int days = 0, exact = 0, wrong = 0;  ///< the others name nothing, or too little
  Spread builds, runs, check_runs, rounds;
};

struct Plan {
  int days = 200;
  std::uint64_t seed = 1;
  unsigned jobs = 1;
};

/// Scores of this search and, where the scenario asks for it, of the others. The same for the same seed, whatever the
/// number of jobs. Error `interrupted` once a stop was requested.
Result<std::vector<Score>> score(const Scenario& scenario, const Plan& plan, std::stop_token stop);

}  // namespace tbci::bisect::selftest
