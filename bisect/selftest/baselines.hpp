// Other ways to find a culprit, implemented again from what is said of them, to be held against this one on the same
// simulated days. Each searches one series; what several cost is the sum.
#pragma once

#include <vector>

#include "bisect/selftest/simulated.hpp"

namespace tbci::bisect::selftest {

/// Commits that can't be told apart; one: the culprit that is named.
using Named = std::vector<std::vector<std::size_t>>;

/// `git bisect run` with a script that compares the median of `runs` runs with the middle of both ends, measured as
/// often. A commit that does not build is skipped (exit code 125): the nearest one that was not tried is next.
Named git_bisect(SimulatedRuns& machine, const SimulatedDay& day, std::size_t series, int runs);

/// TorchBench (Hao et al. 2023, section 4.2, and its userbenchmark bisection): each commit is run once; two that differ
/// by more than 7% are told apart by the commit in their middle, and both halves are looked at again.
Named torchbench(SimulatedRuns& machine, const SimulatedDay& day, std::size_t series);

/// Chromium's Pinpoint: 10 runs of each commit; two differ where the smaller p of Mann-Whitney and Kolmogorov-Smirnov
/// is at most 0.01, and are the same above a bound; in between both are run twice as often, up to 160 times. Two that
/// differ get the commit in their middle, with at most 60 builds.
Named pinpoint(SimulatedRuns& machine, const SimulatedDay& day, std::size_t series);

/// Two-sided p values, by their large-sample distributions. Not empty.
double mann_whitney(const std::vector<double>& a, const std::vector<double>& b);
double kolmogorov_smirnov(std::vector<double> a, std::vector<double> b);

}  // namespace tbci::bisect::selftest
