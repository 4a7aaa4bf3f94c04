// Other searches for a culprit, reimplemented from their published descriptions, to compare with this one on the same
// simulated days. Each searches one series; the cost of several series is the sum.
#pragma once

#include <vector>

#include "bisect/selftest/simulated.hpp"

namespace tbci::bisect::selftest {

/// What a search names: a set of commits for each step. A set of one commit names a culprit; the commits of a larger
/// set cannot be told apart.
using NamedCulprits = std::vector<std::vector<std::size_t>>;

/// `git bisect run` with a script that compares the median of `processes` processes with the midpoint of both ends, for
/// which as many are measured. Skips a commit that does not build (exit code 125) and tries the nearest untried one.
NamedCulprits git_bisect(SimulatedProcesses& machine, const SimulatedDay& day, std::size_t series, int processes);

/// TorchBench (Hao et al. 2023, section 4.2, and its userbenchmark bisection): one process of each commit; if two
/// differ by more than 7%, the commit midway is measured too, and both halves are searched in turn.
NamedCulprits torchbench(SimulatedProcesses& machine, const SimulatedDay& day, std::size_t series);

/// Chromium's Pinpoint: 10 processes of each commit; two commits differ where the smaller p of Mann-Whitney and
/// Kolmogorov-Smirnov is at most 0.01, and are the same above a bound; in between both get twice as many processes, up
/// to 160. Between two that differ it measures the commit midway, with at most 60 builds.
NamedCulprits pinpoint(SimulatedProcesses& machine, const SimulatedDay& day, std::size_t series);

/// Two-sided p values, from the large-sample distributions. The samples are not empty.
double mann_whitney(const std::vector<double>& a, const std::vector<double>& b);
double kolmogorov_smirnov(std::vector<double> a, std::vector<double> b);

}  // namespace tbci::bisect::selftest
