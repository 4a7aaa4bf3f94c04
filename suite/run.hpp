// The commands of the worker. All return the exit code.
#pragma once

#include "suite/options.hpp"
#include "suite/protocol.hpp"

namespace tbci::suite {

inline constexpr int exit_done = 0;
inline constexpr int exit_usage = 2;
inline constexpr int exit_error = 3;

int list_benchmarks(Protocol& protocol);
int list_benchmarks(const ListOptions& options, Protocol& protocol);

// Measures one benchmark in one configuration. Whatever goes wrong in it becomes an error line.
int run_benchmark(const RunOptions& options, Protocol& protocol);

// Tells which operators one iteration calls, after one that is not looked at.
int tell_operators(const RunOptions& options, Protocol& protocol);

// Tells which libraries LibTorch and the preloaded ones brought, and what LibTorch says of itself.
int tell_environment(const RunOptions& options, Protocol& protocol);
// Tells which operators the time of an iteration goes to.
int profile_benchmark(const RunOptions& options, Protocol& protocol);

}  // namespace tbci::suite
