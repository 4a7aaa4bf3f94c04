// Turns what a search found into probes and answers: sides, steps, suspects and reasons.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "bisect/parent_check.hpp"
#include "bisect/series_search.hpp"

namespace tbci::bisect {

std::string short_id(const model::Commit& commit);

/// Refers to `classes`, `measurements` and `settings`, which must outlive it.
class Attribution {
 public:
  Attribution(const CommitClasses& classes, const Measurements& measurements, const SearchSettings& settings)
      : classes_(classes), measurements_(measurements), settings_(settings) {}

  /// What the search knows about a class that has readings.
  model::Probe probe(const SeriesSearch& search, std::size_t at) const;
  /// A class that does not build or cannot be measured.
  model::Probe lost_probe(const SeriesSearch& search, std::size_t at, const std::string& reason) const;

  /// The culprit of a bracket and its parent, as a pair to measure.
  CommitPair parent_pair(const SeriesSearch& search, const Bracket& bracket) const;
  ParentCheck check_parent(const SeriesSearch& search, const Bracket& bracket) const;

  /// Reasons of answers without a culprit.
  std::string same_binary() const;
  std::string no_step(const SeriesSearch& search) const;

  /// Fills in the steps that the brackets of `next` hold, with their effects against the parents. Without a bracket:
  /// the change between the ends.
  void fill_answer(const SeriesSearch& search, const NextAction& next, const std::map<std::size_t, Built>& built,
                   model::Answer& answer) const;
  /// Fills in that a culprit shows no step against its parent.
  void fill_absent(const SeriesSearch& search, const Bracket& bracket, model::Answer& answer) const;
  /// Fills in that a culprit cannot be measured beside its parent.
  void fill_unchecked(const SeriesSearch& search, const Bracket& bracket, model::Answer& answer) const;

 private:
  /// The change of a class against the good end, from the readings of the two alone.
  LevelEstimate against_good_end(const SeriesSearch& search, std::size_t at) const;
  /// The effect of a bracket's last class against its first: from their pairs, else from the readings of the two alone.
  LevelEstimate effect_of(const SeriesSearch& search, const Bracket& bracket) const;
  /// The effect of class `at` against class `from`, from their readings; both have some (asserts).
  LevelEstimate effect_between(const SeriesSearch& search, std::size_t from, std::size_t at) const;
  void fill_change(const SeriesSearch& search, const Bracket& bracket, model::Answer& answer) const;
  model::FoundStep step_at(const SeriesSearch& search, const Bracket& bracket,
                           const std::map<std::size_t, Built>& built) const;
  std::string why_several(const SeriesSearch& search, const Bracket& bracket,
                          const std::map<std::size_t, Built>& built) const;
  double expected_step(const SeriesSearch& search, const Bracket& bracket) const;

  const CommitClasses& classes_;
  const Measurements& measurements_;
  const SearchSettings& settings_;
};

}  // namespace tbci::bisect
