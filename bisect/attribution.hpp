// How what a search found is said.
#pragma once

#include <map>
#include <string>

#include "bisect/parent_check.hpp"
#include "bisect/series_search.hpp"

namespace tbci::bisect {

std::string short_id(const model::Commit& commit);

class Answering {
 public:
  Answering(const Day& day, const Evidence& evidence, const Settings& settings)
      : day_(day), evidence_(evidence), settings_(settings) {}

  /// What is known of one class, or why nothing is.
  model::Probe probe(const Regression& regression, std::size_t at) const;
  model::Probe lost(const Regression& regression, std::size_t at, const std::string& reason) const;

  Comparison beside_parent(const Regression& regression, const Gap& gap) const;
  BesideParentDecision decide(const Regression& regression, const Gap& gap) const;

  std::string same_binary() const;
  std::string no_step(const Regression& regression) const;
  /// Puts the steps that the gaps of `need` hold into the answer, with what was measured beside the parents. Without a
  /// gap: the change of the ends.
  void give(const Regression& regression, const Need& need, const std::map<std::size_t, Built>& built,
            model::Answer& answer) const;
  void not_beside_parent(const Regression& regression, const Gap& gap, model::Answer& answer) const;

 private:
  /// Of a class against the good end.
  Level against_good_end(const Regression& regression, std::size_t at) const;
  model::FoundStep step_at(const Regression& regression, const Gap& gap,
                           const std::map<std::size_t, Built>& built) const;
  std::string why_several(const Regression& regression, const Gap& gap,
                          const std::map<std::size_t, Built>& built) const;
  double expected_step(const Regression& regression, const Gap& gap) const;

  const Day& day_;
  const Evidence& evidence_;
  const Settings& settings_;
};

}  // namespace tbci::bisect
