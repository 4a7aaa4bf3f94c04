// The pairs that a bisection has measured, and the measuring of more.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "bisect/bisection.hpp"

namespace tbci::bisect {

/// Two commits, by their indices, that are measured side by side with one case.
struct Comparison {
  std::size_t reference = 0, probe = 0;
  model::Case measured;
  auto operator<=>(const Comparison&) const = default;
};

/// All pairs of one series in one comparison.
struct SeriesEvidence {
  std::vector<detect::Pair> pairs;
  std::vector<double> effects;  ///< of the pairs
  std::string failure;          ///< why it can't be measured; empty: it can
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

  const SeriesEvidence& of(const Comparison& comparison, const model::Series& series);

  using Enough = std::function<bool(const model::Series&, std::span<const double> effects)>;
  /// Measures pairs until each of `series` (all of that case) has enough or has failed.
  Status gather(const Comparison& comparison, const std::vector<model::Series>& series, const Enough& enough);

  /// The effect on a series as a fraction of the reference's median value.
  double as_change(const Comparison& comparison, const model::Series& series, double effect);

 private:
  struct Pairs {
    int count = 0;        ///< asked for
    std::string failure;  ///< of the case as a whole
    std::map<model::Series, SeriesEvidence> series;
  };
  Status measure_one(const Comparison& comparison, const std::vector<model::Series>& series, Pairs& pairs);

  Surroundings surroundings_;
  std::map<Comparison, Pairs> all_;
};

}  // namespace tbci::bisect
