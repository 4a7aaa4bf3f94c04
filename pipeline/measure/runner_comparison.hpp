// One build on several runners, from what they measured of it (figure 5 and table 3 of the TorchBench paper). Nothing
// is measured for it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "detect/mean_ratio.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// What a case gives on one runner, beside the first. Nothing where there is no number: then `why` says why.
struct RunnerResult {
  std::string runner;
  std::optional<detect::MeanRatio> time, cpu_memory, gpu_memory;  ///< to the first; below 1 is faster, or smaller
  std::string why;
};

struct ComparedRunners {
  model::Case measured;
  std::string domain;                 ///< empty: unknown
  std::optional<double> nanoseconds;  ///< on the first: the median of its processes
  std::string why;                    ///< the first itself has no number
  std::vector<RunnerResult> results;  ///< of the others, in their order
};

/// How the environment of a runner differs from the first's, in the cases that compare these two environments.
struct RunnerDifference {
  std::string runner;
  std::size_t cases = 0;
  std::string what;  ///< a sentence without its stop; empty: tbci knows of nothing
};

/// What a runner does at best, as measured in the environment of most of its cases; none: nobody measured it.
struct RunnerPeaks {
  std::string runner;
  std::vector<model::Peaks> peaks;
};

struct RunnerComparison {
  std::vector<ComparedRunners> cases;
  std::vector<RunnerDifference> differences;
  std::vector<RunnerPeaks> peaks;  ///< of all, the first's first
};

/// Of each case that one of them measured and the configuration asks for. A runner's processes of a case are those of
/// its latest environment that has any; processes that took turns with others are left out, as their times are other
/// ones. Errors (usage), with the difference: an unknown runner or one named twice, a build that one of them did not
/// measure, no case that all of them have in one size, batch and precision, a benchmark that nobody measured.
Result<RunnerComparison> compare_runners(SubjectContext& context, const std::string& build,
                                         const std::vector<std::string>& runners);

/// Means over the cases of a domain, or of all.
struct RunnerMean {
  std::string domain;  ///< empty: all
  bool gpu = false;
  bool infer = false;
  std::string runner;
  std::size_t cases = 0;  ///< that have a number
  std::size_t asked = 0;
  double time = 1;  ///< geometric means of the ratios
  std::optional<double> cpu_memory, gpu_memory;
};

/// For each device and mode, first of each domain that is known, by name, then of all. Pure.
std::vector<RunnerMean> means_of(const std::vector<ComparedRunners>& compared);

}  // namespace tbci::pipeline
