// What a judge says of the simulated years.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/bench/thousand_nights/facts.hpp"

namespace tbci::thousand {

/// What may be wrong. Everything that is found is named: nothing is an accepted exception.
enum class Wrong {
  missed,             ///< a step that should have been reported was not
  twice,              ///< a step was reported more than once
  found_again,        ///< a step was confirmed and searched more than once, in one report
  no_cause,           ///< a report of something that did not happen
  wrong_culprit,      ///< a named commit that changed nothing of the series
  no_culprit,         ///< a step without its culprit, though everything builds
  vague_culprit,      ///< several suspects, though everything builds
  not_in_text,        ///< a series that counts as reported, and that no issue names
  not_delivered,      ///< a report that did not arrive in five days
  stands_still,       ///< a night without an end
  late,               ///< a night that ended more than ten days after it was published
  failed_night,       ///< a night that failed though its nightly installs
  never_ends,         ///< a regression that stays open after its cause is gone
  event_no_cause,     ///< an event of the machine that did not happen
  creep_overlooked,   ///< a creep of 10% or more that was not reported
  rotation,           ///< a case that was not measured beside the anchor for very long
  cost,               ///< nights that cost more and more
  service,            ///< an error outside of any night
  gain_missed,        ///< a step to the better that should have been found was not
  gain_twice,         ///< it was found more than once
  gain_no_cause,      ///< an improvement of something that did not happen
  gain_wrong_commit,  ///< a named commit that made nothing better
  gain_no_commit,     ///< an improvement without its commit, though everything builds
  gain_waits,         ///< a search for an improvement that does not end
  wrong_ending,       ///< what is said to have taken a culprit back, and did not; or is not said
};
std::string_view to_string(Wrong wrong);

struct Complaint {
  Wrong wrong{};
  std::string night, series;  ///< either may be empty
  std::string expected, came;
};

/// Steps of one kind that had to be reported.
struct Tally {
  int expected = 0;
  int once = 0, twice = 0, missed = 0;
  int exact = 0;    ///< one suspect, and it is the culprit
  int among = 0;    ///< several, the culprit among them
  int without = 0;  ///< reported without any suspect
  int again = 0;    ///< regressions beyond the first that speak of it, whether or not they made a report
};

struct Figures {
  int nights = 0, done = 0, failed = 0, unfinished = 0, most_tries = 0;
  int regressions = 0, below_threshold = 0, reports = 0, events = 0, kills = 0;
  std::int64_t processes = 0, builds = 0, installs = 0;
  double seconds = 0;
  double first_seconds = 0, last_seconds = 0;      ///< of a night: medians of the first and of the last hundred
  double first_processes = 0, last_processes = 0;  ///< the same
  int improvements = 0, endings = 0;               ///< that were kept
  int reverts = 0, attributed_endings = 0;         ///< endings that name a revert, and the commit of an improvement
  int longest_gap = 0;                             ///< nights between two looks at a case beside the anchor
};

struct Judgement {
  std::uint64_t seed = 0;
  std::map<Kind, Tally> steps;
  std::map<Kind, Tally> gains;  ///< steps to the better, where the years ask for them
  Figures figures;
  std::vector<Complaint> complaints;
};

// The parts, each of which adds to the judgement.
void judge_reports(const Years& years, const Facts& facts, Judgement& judgement);
void judge_steps(const Years& years, const Facts& facts, Judgement& judgement);
void judge_nights(const Years& years, const Facts& facts, Judgement& judgement);
void judge_states(const Years& years, const Facts& facts, Judgement& judgement);
Status judge_events(Years& years, const Facts& facts, Judgement& judgement);
Status judge_improvements(Years& years, const Facts& facts, Judgement& judgement);
Status judge_cost(Years& years, const Facts& facts, Judgement& judgement);

Result<Judgement> judge(Years& years);

}  // namespace tbci::thousand
