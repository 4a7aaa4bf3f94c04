// What a night could not decide, and the next one looks at again.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "detect/effect.hpp"
#include "detect/threshold_table.hpp"
#include "storage/model/night.hpp"

namespace tbci::detect {

/// A series that is to be confirmed tonight: tonight's build against `old_build`.
///
/// A candidate of an earlier night keeps its old build, so that the step stays between the two, and its pairs: they say
/// the same of the same step, and pooled they decide what those of one night cannot. The new build is always
/// tonight's. A step that went away is then not filed, since the pairs of tonight draw the estimate down.
struct Candidate {
  model::Series series;
  std::string old_build;         ///< name, as the caller gave it
  std::vector<Pair> pairs = {};  ///< of earlier nights, in the order of measuring
  int nights_looked = 0;         ///< that measured pairs and could not say
  int nights_waited = 0;         ///< that had no time left for it, since the last that looked
  double suspected = 0;          ///< the largest change that a screen saw, as a fraction
  std::string first_suspect;     ///< name of the build that was suspected first
  /// Tonight's, of a screen that measured the same two builds in turn. They count: the bounds of the confirmation hold
  /// at every look at the whole sequence of pairs, whatever made the night look further.
  std::vector<Pair> screen_pairs = {};
  /// An effect that is known to lie between the two builds, and of which nothing is asked (detect::with_rise). The
  /// pairs are as they were measured.
  double rise = 0;
};

/// A suspect of tonight's screen, and the build that it is to be confirmed against.
struct Suspect {
  model::Finding finding;
  std::string old_build;
  std::vector<Pair> pairs = {};  ///< of the screen, where it measured both builds in turn
};

/// Tonight's candidates: the retests and the suspects of tonight's screen, the most pressing first. A retest replaces
/// tonight's suspect of the same series, and keeps its older build. The larger a change, the more pressing; its size
/// counts once more for each night that it waited, so none waits for ever. Findings in `suspects` with another verdict
/// are passed over. Pure.
std::vector<Candidate> candidates_of(std::span<const Suspect> suspects, std::span<const Candidate> retests,
                                     const std::string& tonights_build);

/// What became of a candidate tonight.
struct TestedCandidate {
  Candidate candidate;
  bool looked = false;          ///< false: the night's time had run out
  model::Finding finding;       ///< where it was looked at
  std::vector<Pair> measured;   ///< tonight's pairs, the screen's first, without those of earlier nights
  bool machine_failed = false;  ///< pairs were lost to the machine (a full disk), which says nothing of the builds
};

/// Tonight's suspects in whose place a retest was looked at, where that one found no change: its older build breaks,
/// say, or is not there. Or it found one by pairs of two levels: those of earlier nights do not have the step of
/// tonight, and the size that all of them give is of neither. Each is to be confirmed against the build that the screen
/// compared it with, or the retest would hide the step of tonight. Pure.
std::vector<Candidate> hidden_suspects(std::span<const Suspect> suspects, std::span<const TestedCandidate> outcomes,
                                       const std::string& tonights_build, const ThresholdTable& thresholds);

/// What the next night asks again: inconclusive ones that fewer than `most_nights` looked at, and what was not looked
/// at. A candidate that gathered no pair tonight as its processes failed is given up: more of the same decides nothing.
/// Where it was the machine that failed them, the next night asks again.
/// So is one that 30 nights in a row could not look at. Pure.
std::vector<Candidate> retests_after(std::span<const TestedCandidate> outcomes, const Thresholds& thresholds);

/// The same candidates on a machine that is another one now: pairs of two environments are never mixed. Pure.
std::vector<Candidate> without_pairs(std::span<const Candidate> retests);

}  // namespace tbci::detect
