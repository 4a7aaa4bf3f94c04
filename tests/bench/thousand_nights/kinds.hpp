// What may happen in a simulated year. Each kind can be left out, so that a fault is reproduced by its kind alone.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci::thousand {

// Stories are told in this order.
enum class Kind {
  // Of the commits:
  step,         ///< +10 to +60% of the time of one to five cases
  twins,        ///< two steps of one series in one night
  small,        ///< +2 to +6%
  creep,        ///< +15 to +30%, in steps of 1 to 3%
  memory,       ///< +10 to +40% of a peak
  leak,         ///< 1 to 64 KiB an iteration
  revert,       ///< a step that is taken back
  recovery,     ///< a step that another commit makes good
  relapse,      ///< the same, and the step comes again
  improvement,  ///< 10 to 40% faster or smaller
  broken,       ///< a case crashes, hangs, throws, runs out of memory or is unsupported from a commit on
  no_build,     ///< commits that do not build, nightlies that do not install
  hang,         ///< commits whose build runs into its time limit
  // Of what is published:
  missing,  ///< days without a nightly, and nightlies of the same commit
  yanked,   ///< nightlies that leave the index again
  version,  ///< the version goes from 2.9 to 2.10
  // Of the machine:
  environment,  ///< its facts change, at times in the middle of a night
  drift,        ///< slow nights, slow processes, speeds that move for good
  crash,        ///< 0 to 3% of the processes crash
  evict,        ///< what was installed or built is removed
  disk,         ///< hours without space
  clock,        ///< the clock jumps, and comes back
  kill,         ///< kill -9
  // Of the network:
  index,   ///< the index does not answer
  git,     ///< the repository does not answer
  github,  ///< the reports' channel does not answer
  // Of people:
  person,  ///< accepts regressions, mutes series, sets a new anchor now and then
  // What came later: at the end, as each kind draws from its own number, in this order.
  flaky,     ///< as `broken`, but in 50 to 95% of the processes
  ram_disk,  ///< hours in which most processes find the RAM disk full
};

using Kinds = std::set<Kind>;

std::string_view to_string(Kind kind);
Kinds every_kind();
/// `step,crash`. An error (usage) names the word that is not a kind, and lists those that are.
Result<Kinds> kinds_from(std::string_view text);

}  // namespace tbci::thousand
