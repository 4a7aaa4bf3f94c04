// One build, by several backends side by side (figures 3 and 4 of the TorchBench paper).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "detect/mean_ratio.hpp"
#include "pipeline/measure/measuring.hpp"
#include "pipeline/subject_context.hpp"

namespace tbci::pipeline {

/// What a case gives by one backend, beside eager. Nothing where there is no number: then `why` says why.
struct BackendResult {
  model::Backend backend{};
  std::optional<detect::MeanRatio> time, cpu_memory, gpu_memory;  ///< to eager; below 1 is faster, or smaller
  std::optional<model::Compiling> compiling;                      ///< of its first process
  std::string why;
};

struct ComparedBackends {
  model::Case eager;
  std::string domain;
  std::optional<double> nanoseconds;   ///< of eager: the median of its processes
  std::string why;                     ///< eager itself gave no numbers
  std::vector<BackendResult> results;  ///< in the order of the backends
};

/// Measures each case by eager and by each of the backends, in rounds of one process each, so that what slows the
/// machine for a while slows all of them. A backend that fails leaves the rounds; the others go on. What does not fit
/// a configuration, or is not in the suite, has that as its reason. Numbers are kept in a run of their own.
Result<std::vector<ComparedBackends>> compare_backends(SubjectContext& context, const model::Build& build,
                                                       const std::vector<model::Backend>& backends);

/// Means over the cases of a domain, or of all.
struct BackendMean {
  std::string domain;  ///< empty: all
  bool infer = false;
  bool gpu = false;
  model::Backend backend{};
  std::size_t cases = 0;  ///< that have a number
  std::size_t asked = 0;
  double time = 1;  ///< geometric mean of the ratios, as the others are
  std::optional<double> cpu_memory, gpu_memory;
};

/// For each mode and device, first of each domain, by name, then of all. Pure.
std::vector<BackendMean> means_of(const std::vector<ComparedBackends>& compared);

}  // namespace tbci::pipeline
