// TorchBench as a suite: a checkout of pytorch/benchmark, run by tbci's Python worker.
#pragma once

#include <stop_token>
#include <string>

#include "base/process.hpp"
#include "runner/suites.hpp"

namespace tbci::runner {

inline constexpr const char* torchbench_prefix = "torchbench.";

/// The suite for a product. It is unavailable if the product has no Python and none is configured, or if that Python
/// does not exist.
Suite torchbench_suite(const TorchBenchSettings& settings, const model::Product& product);

/// The commit of the checkout, 40 hex digits; empty if git does not report it. Another commit measures other models.
std::string torchbench_commit(ProcessRunner& processes, const TorchBenchSettings& settings, std::stop_token stop);

}  // namespace tbci::runner
