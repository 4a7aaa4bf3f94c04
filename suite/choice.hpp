// The benchmark that a command line names: one of this worker, or of a folder of exported models.
#pragma once

#include <memory>
#include <string>

#include "suite/benchmark.hpp"
#include "suite/options.hpp"

namespace tbci::suite {

struct Choice {
  std::shared_ptr<const Benchmark> benchmark;  // null: not found
  std::string why_none;
};

Choice choose_benchmark(const RunOptions& options);

}  // namespace tbci::suite
