// Everything a search has measured so far. Also takes new measurements through the Prober.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "bisect/prober.hpp"

namespace tbci::bisect {

/// Two commits, by their indices, that are measured as a pair with one case.
struct CommitPair {
  std::size_t reference = 0, probe = 0;
  model::Case measured;
  auto operator<=>(const CommitPair&) const = default;  // NOLINT(modernize-use-nullptr): its 0 is the compiler's
};

/// The pairs of one series for one CommitPair.
struct PairReadings {
  std::vector<detect::Pair> pairs;
  std::vector<double> effects;  ///< of the pairs
  int failures = 0;             ///< pairs without a value
  std::string failure;          ///< why no more is measured: too many failed; empty: more can be
};

/// The processes of one series that measured one commit alone.
struct ProcessReadings {
  std::vector<double> values;
  int failures = 0;     ///< as above
  std::string failure;  ///< as above
};

/// One reading of one commit, alone or in a pair.
struct CommitReading {
  std::size_t commit = 0;
  double value = 0;
};

/// Error `interrupted` once a stop was requested.
Status check_not_stopped(const std::stop_token& stop);

/// Refers to `commits`, the Prober, the Observer and the status, which must outlive it.
class Measurements {
 public:
  Measurements(const std::vector<model::Commit>& commits, Prober& prober, Observer& observer, SearchStatus& status,
               std::stop_token stop)
      : commits_(commits), prober_(prober), observer_(observer), status_(status), stop_(std::move(stop)) {}

  const PairReadings& pairs(const CommitPair& commit_pair, const model::Series& series) const;
  const ProcessReadings& processes(std::size_t commit, const model::Series& series) const;

  /// Measures one more pair, or process, for all of `series`, which belong to that case. A failure costs that pair, or
  /// process: the readings before it count, and three failures are tried again. Errors: those of the Prober other than
  /// `failed`, and `interrupted`.
  Status add_pair(const CommitPair& commit_pair, const std::vector<model::Series>& series);
  Status add_process(std::size_t commit, const model::Case& measured, const std::vector<model::Series>& series);

  /// All readings, in the order in which they were measured.
  const std::vector<CommitReading>& sequence(const model::Series& series) const;

  /// The values of each commit that has some, of pairs and of processes alone.
  std::map<std::size_t, std::vector<double>> values_by_commit(const model::Series& series) const;

  /// An effect on a series, as a fraction of its median value at the commit `reference`.
  double as_change(std::size_t reference, const model::Series& series, double effect) const;

 private:
  template <typename SeriesReadings>
  struct Requests {
    int count = 0;
    std::map<model::Series, SeriesReadings> series;
  };
  using CommitCase = std::pair<std::size_t, model::Case>;

  const std::vector<model::Commit>& commits_;
  Prober& prober_;
  Observer& observer_;
  SearchStatus& status_;
  std::stop_token stop_;
  std::map<CommitPair, Requests<PairReadings>> pairs_;
  std::map<CommitCase, Requests<ProcessReadings>> processes_;
  std::map<model::Series, std::vector<CommitReading>> sequences_;
};

}  // namespace tbci::bisect
