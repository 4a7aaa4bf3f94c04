// Simulated days of commits: where series get slower, which commits do not build, how noisy the machine is. The truth
// is known, so the result of a search can be checked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "bisect/prober.hpp"

namespace tbci::bisect::selftest {

/// A commit that makes a series slower.
struct Slowdown {
  std::size_t at = 0;      ///< from this commit on
  std::size_t series = 0;  ///< its number
  double change = 0;       ///< as a fraction; below 0: faster
};

/// The noise and the drift of a machine.
struct SimulatedMachine {
  double noise = 0.02;    ///< standard deviation of the logarithm of the time of one process
  double slow_share = 0;  ///< share of the processes that take `slow_factor` times as long
  double slow_factor = 1.5;
  double drift = 0;        ///< standard deviation of the logarithm of the factor that each build adds
  double crash_share = 0;  ///< share of the processes that crash
  /// A neighbour that is busy for some processes on end: the probability that it begins before a process, what it makes
  /// of the time, and how many processes it lasts on average.
  double burst_begins = 0, burst_factor = 1.4, burst_processes = 7;
};

struct SimulatedDay {
  std::size_t commits = 70;  ///< without the good end: commit 0 is the good end, commit `commits` the bad end
  std::size_t series = 1;
  std::vector<Slowdown> slowdowns;
  std::set<std::size_t> broken;  ///< commits that do not build
  SimulatedMachine machine;
  std::uint64_t seed = 0;
  std::map<model::Series, std::vector<double>> priors;
};

model::Series series_of(std::size_t number);
std::string id_of(std::size_t commit);
std::vector<model::Commit> commits_of(const SimulatedDay& day);

/// Returns what the machine would measure, and counts the requests. Refers to `day`, which must outlive it.
class SimulatedProcesses {
 public:
  explicit SimulatedProcesses(const SimulatedDay& day) : day_(day), random_(day.seed) {}

  /// Time of one process, with noise; about 1 before any slowdown.
  double measure(std::size_t commit, std::size_t series);
  /// False for a commit that does not build. Counts each commit once.
  bool build(std::size_t commit);

  int processes() const { return processes_; }
  int builds() const { return static_cast<int>(built_.size()); }

 private:
  const SimulatedDay& day_;
  std::mt19937_64 random_;
  std::set<std::size_t> built_;
  double drift_ = 0;
  bool in_burst_ = false;
  int processes_ = 0;
};

/// A simulated day as the Prober of a search.
class SimulatedProber final : public Prober {
 public:
  explicit SimulatedProber(const SimulatedDay& day)
      : machine_(day), crash_share_(day.machine.crash_share), crashes_(~day.seed) {}

  Result<Built> build(const model::Commit& commit, std::stop_token stop) override;
  Result<std::map<model::Series, detect::Pair>> measure_pair(const model::Commit& reference, const model::Commit& probe,
                                                             const model::Case& measured, int ordinal,
                                                             std::stop_token stop) override;
  Result<std::map<model::Series, double>> measure_process(const model::Commit& commit, const model::Case& measured,
                                                          int ordinal, std::stop_token stop) override;

  const SimulatedProcesses& machine() const { return machine_; }
  /// The part of the processes that compared culprits with their parents.
  int check_processes() const { return check_processes_; }

 private:
  /// The time of one process; nothing: it crashed.
  std::optional<double> measure(std::size_t commit, std::size_t series);

  SimulatedProcesses machine_;
  double crash_share_;
  std::mt19937_64 crashes_;  ///< apart, so that crashes leave the other processes as they are
  int check_processes_ = 0;
};

}  // namespace tbci::bisect::selftest
