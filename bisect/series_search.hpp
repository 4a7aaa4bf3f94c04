// The search for the culprits of one series: what its readings say, and what it measures next.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "bisect/build_scheduler.hpp"
#include "bisect/commit_classes.hpp"
#include "bisect/drift.hpp"
#include "bisect/measurements.hpp"
#include "bisect/next_action.hpp"
#include "bisect/posterior.hpp"
#include "bisect/search_settings.hpp"
#include "bisect/step_estimate.hpp"

namespace tbci::bisect {

/// Refers to `classes` and `settings`, which must outlive it. Classes are given by their number (`at`).
class SeriesSearch {
 public:
  SeriesSearch(const CommitClasses& classes, const model::Series& series, const SearchSettings& settings);

  const model::Series& series() const { return series_; }
  const Posterior& posterior() const { return posterior_; }
  const LevelData& data() const { return data_; }
  const std::vector<ClassState>& states() const { return states_; }

  /// Takes in the latest measurements. `interleaved`: only pairs with the good end count, unless the number does not
  /// vary.
  void refresh(const Measurements& measurements, bool interleaved);
  /// Call it after refresh(). Asks for readings of the bad end until it has two.
  NextAction next_action() const;

  /// The class does not build, or cannot be measured.
  void mark_lost(std::size_t at);
  /// The class takes no further reading; those that it has count.
  void close(std::size_t at) { closed_.push_back(at); }
  /// The same day made another series worse at these steps: most likely this one as well.
  void expect_steps(const std::vector<Bracket>& found);
  /// Asks for at least `count` readings of a class, whatever they say.
  void require_readings(std::size_t at, std::size_t count);
  bool requires_readings(std::size_t at) const { return required_readings_[at] > 0; }

  /// Whether the number does not vary: both ends have two readings or more, and no build has two that differ. Then each
  /// reading is exact, and a build needs no second one.
  bool is_exact() const { return exact_; }
  /// For an exact number: a class beside a step that has only one reading. If that reading is wrong, it makes two
  /// steps.
  std::optional<std::size_t> read_once() const;

  /// Input of drift_of: the readings of the good end, grouped by the build that it was paired with.
  std::vector<std::vector<double>> sessions(const Measurements& measurements) const;
  /// Input of is_noise_shared.
  std::vector<BuildReading> sequence(const Measurements& measurements) const;
  /// Input of are_correlated: the pairs of both ends.
  std::vector<detect::Pair> pairs_of_ends(const Measurements& measurements) const;

  /// The step between the ends, in units of a reading. Fixed once the ends are known to differ; 0 before.
  double step() const { return step_; }
  /// The step between the ends in units of the noise: the larger, the fewer readings tell on which side a class lies.
  double clearness() const;
  /// For pairs of a culprit and its parent: the noise is known by then. The parent is class 0, the culprit class 1.
  LevelSettings check_settings() const;
  /// For estimates: the noise as the readings of each level show it.
  ChangeNoise change_noise() const;
  OpenStep open_step(const Bracket& bracket) const;
  /// Whether a class is one of data().classes. A class that was only measured alone is not while only pairs count.
  bool has_readings(std::size_t at) const;
  std::size_t index_of_class(std::size_t at) const;  ///< in data().classes; the class has readings (asserts)

 private:
  std::vector<double> readings_of(std::size_t at, const Measurements& measurements) const;
  CommitPair pair_with_good_end(std::size_t at) const;
  double reading(double value) const;
  LevelSettings level_settings() const;
  bool never_varies(const Measurements& measurements) const;
  std::vector<std::vector<double>> levels_of_readings() const;
  void fix_step();

  const CommitClasses& classes_;
  model::Series series_;
  const SearchSettings& settings_;
  std::vector<double> weights_;
  std::vector<ClassState> states_;
  std::vector<std::size_t> required_readings_;
  std::vector<std::size_t> closed_;    ///< classes
  std::vector<std::size_t> expected_;  ///< classes whose weight expect_steps has raised
  LevelData data_;
  Posterior posterior_;
  double step_ = 0;
  bool exact_ = false;
};

}  // namespace tbci::bisect
