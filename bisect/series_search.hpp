// One series that a bisection searches: what its readings say, and what it wants next.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <vector>

#include "bisect/commit_classes.hpp"
#include "bisect/drift.hpp"
#include "bisect/measurements.hpp"
#include "bisect/next_step.hpp"
#include "bisect/posterior.hpp"

namespace tbci::bisect {

class Regression {
 public:
  Regression(const Day& day, const model::Series& series, const Settings& settings);

  const model::Series& series() const { return series_; }
  const Posterior& posterior() const { return posterior_; }
  const LevelData& data() const { return data_; }
  const std::vector<ClassState>& states() const { return states_; }
  bool interleaved() const { return data_.against_good_end; }

  /// Takes in what was measured meanwhile. `interleaved`: only pairs with the good end count.
  void refresh(const Evidence& evidence, bool interleaved);
  /// After refresh(). Until both ends have two readings: another one of the bad end.
  Need need() const;

  /// It does not build, or can't be measured.
  void lose(std::size_t at);
  /// Asks for so many readings of a class, whatever they say.
  void want_readings(std::size_t at, std::size_t count);
  bool wants_readings(std::size_t at) const { return at_least_[at] > 0; }

  /// Of the good end, by sittings, and what the ends gave side by side: for steadiness_of.
  std::vector<std::vector<double>> sittings(const Evidence& evidence) const;
  std::vector<detect::Pair> pairs_of_ends(const Evidence& evidence) const;

  /// The step of the ends, in the units of a reading. Fixed as soon as the ends were seen to differ.
  double step() const { return step_; }
  /// Readings beside a parent, whose noise is known by now: the parent is class 0, the culprit class 1.
  LevelSettings check_settings() const;
  Question question(const Gap& gap) const;
  /// Whether it is one of data().classes: what was read alone is not, where only pairs count.
  bool has_readings(std::size_t at) const;
  std::size_t index_of_class(std::size_t at) const;  ///< among LevelData::classes; it has readings

 private:
  std::vector<double> readings_of(std::size_t at, const Evidence& evidence) const;
  Comparison beside_good_end(std::size_t at) const;
  double reading(double value) const;
  LevelSettings level_settings() const;
  void fix_step();

  const Day& day_;
  model::Series series_;
  const Settings& settings_;
  std::vector<double> weights_;
  std::vector<ClassState> states_;
  std::vector<std::size_t> at_least_;
  LevelData data_;
  Posterior posterior_;
  double step_ = 0;
};

}  // namespace tbci::bisect
