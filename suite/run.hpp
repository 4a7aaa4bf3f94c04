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
int list_variants(Protocol& protocol);

// Measures one benchmark in one configuration. Any failure becomes an error line.
int run_benchmark(const RunOptions& options, Protocol& protocol);

// Prints which operators one iteration calls, after one that is not watched.
int tell_operators(const RunOptions& options, Protocol& protocol);

// Prints the libraries that LibTorch and the preloaded libraries loaded, and what LibTorch reports.
int tell_environment(const RunOptions& options, Protocol& protocol);

// Prints what each device of this machine does at best.
int tell_peaks(const RunOptions& options, Protocol& protocol);

// Writes the traced iteration of a benchmark and its inputs to files.
int trace_benchmark(const TraceOptions& options, Protocol& protocol);

// Prints how an iteration's time divides among its operators.
int profile_benchmark(const RunOptions& options, Protocol& protocol);

// Prints the calls of some iterations one by one.
int record_benchmark(const RunOptions& options, Protocol& protocol);

// Prints the calls of one iteration, and what waits for what.
int tell_graph(const RunOptions& options, Protocol& protocol);

// Trains the click model of a benchmark, and prints what came of it.
int learn_clicks(const LearnOptions& options, Protocol& protocol);

}  // namespace tbci::suite
