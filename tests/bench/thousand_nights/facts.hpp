// What the program said in the simulated years, set beside the truth: every regression with the commits it speaks of.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "storage/model/event.hpp"
#include "storage/model/improvement.hpp"
#include "storage/model/report.hpp"
#include "tests/bench/thousand_nights/years.hpp"

namespace tbci::thousand {

/// A regression that the program found.
struct Told {
  model::Regression regression;
  std::string night;
  std::size_t nightly = 0;                     ///< number of that night's nightly
  std::size_t old_commit = 0, new_commit = 0;  ///< the change lies after the first, and at the second at the latest
  std::size_t measured = 0;                    ///< index of the case
  Aspect aspect = Aspect::time;
  std::vector<std::size_t> suspects;  ///< commits, ascending
  bool crept = false;                 ///< confirmed against an anchor
};

/// A nightly that was checked to its end.
struct Checked {
  std::size_t nightly = 0;  ///< its number
  std::size_t commit = 0;
  std::int64_t night_id = 0;
  TimePoint started{};  ///< as the clock showed it
};

/// A build that a person set as the anchor.
struct AnchorSet {
  TimePoint at{};  ///< as the clock showed it
  std::string nightly;
  std::size_t commit = 0;
};

/// An improvement that the program kept.
struct KeptImprovement {
  model::Improvement improvement;
  std::string night;
};

/// What the program says ended a regression.
struct KnownEnding {
  model::Ending ending;
  std::string night, since;  ///< its nights
};

struct Facts {
  std::vector<model::Night> nights;            ///< in the order of their nightlies
  std::map<std::string, std::size_t> numbers;  ///< nightly -> its number among all that were published
  std::vector<Checked> checked;                ///< the oldest first
  std::vector<Told> told;                      ///< in the order of the nights
  std::map<std::int64_t, model::Report> reports;
  std::vector<model::Event> events;
  std::vector<KeptImprovement> improvements;  ///< in the order of the nights
  std::vector<KnownEnding> endings;           ///< in the order of the regressions
  std::vector<AnchorSet> anchors;             ///< the first that was set comes first
};

/// An error where the database cannot be read, or names what the truth does not have.
Result<Facts> facts_of(Years& years);
/// The anchor at the time of a night; nullptr: there was none yet.
const AnchorSet* anchor_of(const Facts& facts, const Checked& night);
/// Whether a person wanted to hear nothing of the series on one of the nights, or by the day after it. Each night
/// counts by itself: the clock may have been set back for one of them.
bool is_muted(const Diary& diary, const model::Series& series, std::span<const Checked> nights);

}  // namespace tbci::thousand
