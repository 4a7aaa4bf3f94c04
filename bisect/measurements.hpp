// What a bisection has measured so far, and the measuring of more.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bisect/bisection.hpp"

namespace tbci::bisect {

/// Two commits, by their indices, that are measured side by side with one case.
struct Comparison {
  std::size_t reference = 0, probe = 0;
  model::Case measured;
  auto operator<=>(const Comparison&) const = default;  // NOLINT(modernize-use-nullptr): its 0 is the compiler's
};

/// All pairs of one series in one comparison.
struct PairEvidence {
  std::vector<detect::Pair> pairs;
  std::vector<double> effects;  ///< of the pairs
  std::string failure;          ///< why it can't be measured; empty: it can
};

/// All processes of one series at one commit that were measured alone.
struct RunEvidence {
  std::vector<double> values;
  std::string failure;  ///< as above
};

/// What a bisection works with.
struct Surroundings {
  const std::vector<model::Commit>& commits;
  Prober& prober;
  Observer& observer;
  Progress& progress;
  std::stop_token stop;
};

/// Error `interrupted` once a stop was requested.
Status go_on(const std::stop_token& stop);

class Evidence {
 public:
  explicit Evidence(Surroundings surroundings) : surroundings_(std::move(surroundings)) {}

  const PairEvidence& pairs(const Comparison& comparison, const model::Series& series) const;
  const RunEvidence& runs(std::size_t commit, const model::Series& series) const;
  /// Asked for so far, whether they gave a value or not.
  int pairs_asked(const Comparison& comparison) const;

  /// One more pair, or process, for all of `series`, which are of that case. A failure is kept with the evidence.
  Status add_pair(const Comparison& comparison, const std::vector<model::Series>& series);
  Status add_run(std::size_t commit, const model::Case& measured, const std::vector<model::Series>& series);

  /// The effect on a series as a fraction of the median value at the good end, or at another commit.
  double as_change(std::size_t reference, const model::Series& series, double effect) const;

 private:
  template <typename Of>
  struct Asked {
    int count = 0;
    std::map<model::Series, Of> series;
  };
  using RunKey = std::pair<std::size_t, model::Case>;

  Surroundings surroundings_;
  std::map<Comparison, Asked<PairEvidence>> pairs_;
  std::map<RunKey, Asked<RunEvidence>> runs_;
};

}  // namespace tbci::bisect
