// The whole history before it is written: every commit with its files. Pure.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "miniature/change.hpp"
#include "miniature/options.hpp"

namespace tbci::miniature {

struct Person {
  std::string name;
  std::string email;
};

struct PlannedCommit {
  std::string kind;   ///< `fault`, `revert`, `harmless`, `docs`, `unbuildable` or `fix`
  std::string fault;  ///< the kind of the fault that it brings or takes back, or nothing
  int day = 1;
  std::size_t position = 1;  ///< 1-based in its day
  bool builds = true;
  Person author;
  std::chrono::sys_seconds time;
  std::string message;
  Tree tree;  ///< all files after it
};

struct PlannedCulprit {
  std::size_t commit = 0;  ///< index in `commits`
  std::string fault;
  double strength = 1;
  std::vector<std::string> benchmarks;
  std::vector<std::size_t> indistinguishable;  ///< indices in `commits`, the culprit's own among them
};

struct Plan {
  std::vector<PlannedCommit> commits;  ///< the oldest first
  std::vector<PlannedCulprit> culprits;
};

/// The same options give the same plan, on every machine. Errors of kind usage are the caller's fault; others are
/// faults of the generator.
Result<Plan> make_plan(const Options& options);

}  // namespace tbci::miniature
