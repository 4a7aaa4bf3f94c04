// TorchBench as a suite: a checkout of pytorch/benchmark, driven by our worker in Python.
#pragma once

#include <stop_token>
#include <string>

#include "base/process.hpp"
#include "runner/suites.hpp"

namespace tbci::runner {

inline constexpr const char* torchbench_prefix = "torchbench.";

/// The suite for a product. Where the product has no Python and none is configured, or it is not there, the suite has a
/// trouble that says so.
Suite torchbench_suite(const TorchBenchSettings& settings, const model::Product& product);

/// The commit of the checkout, 40 hex digits; empty where git does not say. Another one measures other models.
std::string torchbench_commit(ProcessRunner& processes, const TorchBenchSettings& settings, std::stop_token stop);

}  // namespace tbci::runner
