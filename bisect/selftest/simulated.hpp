// Days of commits that exist in memory only: where they get slower, which do not build, how the machine wavers. The
// truth is known, so that a search can be held against it.
#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bisect/bisection.hpp"

namespace tbci::bisect::selftest {

/// A commit that makes a series slower.
struct Slowdown {
  std::size_t at = 0;      ///< from this commit on
  std::size_t series = 0;  ///< its number
  double change = 0;       ///< as a fraction; below 0: faster
};

/// How a machine wavers.
struct Machine {
  double noise = 0.02;    ///< standard deviation of the logarithm of one run
  double slow_share = 0;  ///< of the runs take `slow_factor` times as long
  double slow_factor = 1.5;
  double drift = 0;  ///< standard deviation of the logarithm by which it moves with each build
};

struct SimulatedDay {
  std::size_t commits = 70;  ///< the good end not counted: commit 0 is the good end, commit `commits` the bad one
  std::size_t series = 1;
  std::vector<Slowdown> slowdowns;
  std::set<std::size_t> broken;  ///< do not build
  Machine machine;
  std::uint64_t seed = 0;
  std::map<model::Series, std::vector<double>> priors;
};

model::Series series_of(std::size_t number);
std::string id_of(std::size_t commit);
std::vector<model::Commit> commits_of(const SimulatedDay& day);

/// Gives what the machine would measure, and counts what it was asked for.
class SimulatedRuns {
 public:
  explicit SimulatedRuns(const SimulatedDay& day) : day_(day), random_(day.seed) {}

  /// Time of one run, with noise, about 1 where nothing is slower.
  double run(std::size_t commit, std::size_t series);
  /// False where the commit does not build. Asked for the first time, it counts.
  bool build(std::size_t commit);

  int runs() const { return runs_; }
  int builds() const { return static_cast<int>(built_.size()); }

 private:
  const SimulatedDay& day_;
  std::mt19937_64 random_;
  std::set<std::size_t> built_;
  double moved_ = 0;
  int runs_ = 0;
};

/// A day as the search meets it.
class SimulatedProber final : public Prober {
 public:
  explicit SimulatedProber(const SimulatedDay& day) : day_(day), runs_(day) {}

  Result<Built> build(const model::Commit& commit, std::stop_token stop) override;
  Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                             const model::Case& measured, int ordinal,
                                                             std::stop_token stop) override;
  Result<std::map<model::Series, double>> measure_run(const model::Commit& commit, const model::Case& measured,
                                                      int ordinal, std::stop_token stop) override;

  const SimulatedRuns& runs() const { return runs_; }
  /// Of the runs, those of a culprit beside its parent, after the search.
  int check_runs() const { return check_runs_; }

 private:
  const SimulatedDay& day_;
  SimulatedRuns runs_;
  int check_runs_ = 0;
};

}  // namespace tbci::bisect::selftest
