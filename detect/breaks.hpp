// Whether a case broke: from how many processes of the old build and of the new one fail. Pure; safe from any thread.
//
// The model: processes of a build that works fail now and then, by chance, with a share that is near 0; processes of a
// build that is broken fail with a share that may be anything, and is mostly 1. Either share has a Beta distribution
// before anything is measured, so that the probability of k failures in n processes is exact (the beta-binomial).
#pragma once

#include <span>

#include "storage/model/measurement.hpp"
#include "storage/model/night.hpp"

namespace tbci::detect {

/// Processes of a case on a build.
struct Trials {
  int processes = 0;
  int failures = 0;  ///< of them
  bool operator==(const Trials&) const = default;
};
Trials operator+(const Trials& one, const Trials& other);

/// Whether a process shows that its case does not work: it did not end as it should, or its results are not finite.
bool is_failure(const model::Measurement& measurement);
Trials trials_of(std::span<const model::Measurement> measurements);

/// A Beta distribution of the share of processes that fail.
struct FailureShare {
  double failures = 1, successes = 1;  ///< its parameters, above 0
};
inline constexpr FailureShare share_if_working = {0.5, 20};  ///< mean 2.4%
inline constexpr FailureShare share_if_broken = {1, 0.25};   ///< mean 80%, and mostly all of them

/// The logarithm of the probability of these processes, in the order in which they ran.
double log_probability(const Trials& trials, const FailureShare& share);

/// The logarithm of the odds that the new build is broken and the old one works, against both being alike (both work,
/// or both are broken), where the two were equally likely before.
double log_odds_of_break(const Trials& before, const Trials& after);

/// Nothing is confirmed with fewer failures of the new build.
inline constexpr int least_failures = 3;
/// What a screen must see of the new build before it is looked at more closely.
inline constexpr int suspicious_failures = 2;

/// From the pairs so far, as many processes of either build: regression, clear (it fails no more, or as often as the
/// old build), inconclusive (too many pairs), or suspect: another pair is wanted. A sequential test.
model::Verdict confirm_break(const Trials& before, const Trials& after);

/// From which of successive builds on a case fails, where the last ones fail: the place of the first of them; the
/// number of builds where none does. A broken build may pass a night by chance, so the search goes back until the
/// builds before have clearly worked (a CUSUM of the log-likelihood ratio: Page 1954), and not beyond: what failed
/// earlier than that was another break.
std::size_t first_broken(std::span<const Trials> builds);

/// Between what the share of failing processes of a broken build lies, with 95% probability.
model::Interval interval_of_share(const Trials& trials);

/// The probability that a build that is broken would hide in that many processes more, all without a failure, given
/// the processes of it that were seen.
double chance_to_hide(const Trials& seen, int processes);

/// Processes in a row without a failure after which a break has ended, where at least this share of its processes
/// fails: it would hide in all of them with a probability of 0.1% at most. At most 1,000, also for a share of 0.
int processes_until_over(double least_share);

}  // namespace tbci::detect
