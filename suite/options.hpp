// The command line of the worker.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "suite/alternation.hpp"
#include "suite/backends/backend.hpp"
#include "suite/configuration.hpp"
#include "suite/growth.hpp"
#include "suite/model_choices.hpp"
#include "suite/precision.hpp"
#include "suite/variants.hpp"

namespace tbci::suite {

inline constexpr int protocol_version = 1;

struct HelpOptions {};

struct ListOptions {
  std::string models;     // a folder of exported models to list instead of the native ones; else empty
  bool variants = false;  // list the variants instead (suite/variants.hpp)
};

struct RunOptions {
  std::string benchmark;  // not yet looked up: the protocol reports an unknown name, so it is not a usage error
  Configuration configuration = all_configurations[0];
  Size size = Size::ci;
  Precision precision = Precision::fp32;
  Backend backend = Backend::eager;
  std::string package;  // of aoti; else empty
  Variant variant = Variant::none;
  ChosenValues chosen;                // not yet looked up, as the benchmark
  std::optional<std::int64_t> batch;  // else the benchmark's own
  int warmup = 3;
  std::chrono::milliseconds warmup_time{0};  // more iterations that are not measured, until it has passed
  int iterations = 10;
  int threads = 1;
  std::optional<int> ranks;  // else the benchmark's own
  std::uint64_t seed = 42;
  std::vector<std::string> preload;  // shared libraries, in this order
  std::string models;                // the folder of exported models that the benchmark is in; else empty
  GrowthPlan growth;
  int gpu_traced = 0;                      // iterations after the measured ones, for the split of the GPU's time
  Alternate alternate = Alternate::alone;  // else with the worker at the other end of the standard input, a socket
};

// Which operators one iteration of a benchmark calls, without measuring it. The run's options about measurement have
// no effect.
struct OperatorsOptions {
  RunOptions run;
};

// Writes what a compiler outside of this process needs: the traced iteration of one benchmark, and its inputs.
struct TraceOptions {
  RunOptions run;
  std::string out;
};

// Where the time of an iteration goes, operator by operator.
struct ProfileOptions {
  RunOptions run;
};

// The calls of some iterations, one by one.
struct TimelineOptions {
  RunOptions run;
};

// Trains a click model. Of the run's options only threads, seed and preload have an effect.
struct LearnOptions {
  RunOptions run;
  std::string over;  // one of learning::all_ways
  std::int64_t amount = 0;
  bool rounded = false;  // the planted fault
};

// What waits for what in one iteration.
struct GraphOptions {
  RunOptions run;
};

// Which libraries are loaded, and what LibTorch reports. Of the run's options only threads and preload have an effect.
struct EnvironmentOptions {
  RunOptions run;
};

// What the devices do at best. Of the run's options only threads and preload have an effect.
struct PeaksOptions {
  RunOptions run;
};

// A process that another one has started to share its work (suite/ranks). Nobody else asks for it.
struct RankOptions {
  RunOptions run;
  int rank = 0;
};

struct UsageError {
  std::string message;  // one line: what is wrong and what is expected
};

using Options =
    std::variant<HelpOptions, ListOptions, RunOptions, OperatorsOptions, ProfileOptions, TimelineOptions, GraphOptions,
                 TraceOptions, LearnOptions, EnvironmentOptions, PeaksOptions, RankOptions, UsageError>;

// `arguments` without the program's name.
Options parse_options(const std::vector<std::string>& arguments);

std::string usage();

}  // namespace tbci::suite
