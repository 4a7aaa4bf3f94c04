// Measures one case in one fresh process.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/result.hpp"
#include "runner/coverage.hpp"
#include "runner/learning.hpp"
#include "runner/precision.hpp"
#include "runner/private_home.hpp"
#include "runner/profile.hpp"
#include "runner/protocol.hpp"
#include "runner/suites.hpp"
#include "runner/timeline.hpp"
#include "storage/model/build.hpp"
#include "storage/model/measurement.hpp"

namespace tbci::runner {

struct MeasureSettings {
  std::string size = "ci";                         ///< `ci` or `paper`, on a CPU
  std::string gpu_size = "paper";                  ///< on a GPU, which has too little to do in `ci`
  std::string precision{default_precision};        ///< see precision.hpp
  std::optional<int> batch;                        ///< nothing: the benchmark's own
  std::map<model::Case, int> batches;              ///< of single cases, as searched: they take precedence over `batch`
  std::map<std::string, std::string> chosen = {};  ///< of the benchmark's choices (`--set`)
  int warmup = 3;
  std::chrono::milliseconds gpu_warmup_time{500};  ///< on a GPU, whose clock rises first: warm-ups go on until then
  int iterations = 10;
  int threads = 1;
  std::uint64_t seed = 42;
  int leak_iterations = 0;  ///< after the measured ones, to find leaks; 0: none
  std::chrono::milliseconds leak_time = std::chrono::milliseconds(500);  ///< then they end, even if there were fewer
  int gpu_traced = 0;     ///< iterations of a GPU after the measured ones, for the split of its time
  std::vector<int> cpus;  ///< that the process is pinned to; empty: not pinned
  std::string gpu = {};   ///< that configurations of the GPU run on, see gpu_choice.hpp; empty: as CUDA chooses
  std::chrono::milliseconds time_limit = std::chrono::minutes(5);
  std::optional<std::uint64_t> memory_limit_bytes;  ///< of address space; ignored for GPU configurations
};

/// The batch that the case is measured with; nothing: the benchmark's own.
std::optional<int> batch_of(const MeasureSettings& settings, const model::Case& measured);

/// The size that the case is measured in.
const std::string& size_of(const MeasureSettings& settings, const model::Case& measured);

/// A build's product, and the suite that measures a case of it.
struct ProductUnderTest {
  const model::Product& product;
  const Suite& suite;
};

/// Thread-safe if its process runner and clock are.
class Measurer {
 public:
  Measurer(ProcessRunner& processes, const Clock& clock, Confinement confinement = {})
      : processes_(processes), clock_(clock), confinement_(std::move(confinement)) {}

  /// Runs the suite's worker once. Every failure of the worker (crash, hang, malformed output, too much memory) is a
  /// measurement with that outcome, a message and the samples so far. Errors: the program cannot be started
  /// (machine), a stop was requested (interrupted). Asserts that the case belongs to the suite.
  Result<model::Measurement> measure(const model::Product& product, const Suite& suite, const model::Case& measured,
                                     const MeasureSettings& settings, std::stop_token stop);

  /// Two processes whose iterations take turns, one by one: what slows the machine for a while slows both
  /// (docs/decisions/0027-pairs-by-iteration.md). Where one of them fails, or does not take its turns, both are
  /// measured again, one after the other: then neither can have caused the other's failure. Asserts that the case
  /// `can_alternate`.
  Result<model::MeasurementPair> measure_alternately(const ProductUnderTest& first, const ProductUnderTest& second,
                                                     const model::Case& measured, const MeasureSettings& settings,
                                                     std::stop_token stop);

  /// Which operators one iteration of the case calls, in the configured size. Errors: as the worker reports.
  Result<OperatorCalls> operators(const model::Product& product, const Suite& suite, const model::Case& measured,
                                  const MeasureSettings& settings, std::stop_token stop);

  /// Where the time of an iteration goes, in one process with the settings of a measurement. Errors: as the worker
  /// reports (failed), it cannot be started (machine), a stop was requested (interrupted).
  Result<model::OperatorProfile> profile(const model::Product& product, const Suite& suite, const model::Case& measured,
                                         const MeasureSettings& settings, std::stop_token stop);

  /// The calls of a few iterations, one by one, in one process with the settings of a measurement. Errors as `profile`.
  /// `variant`: of the model (docs/patches.md); empty: the model as it is written, as in all that is measured.
  Result<model::Timeline> timeline(const model::Product& product, const Suite& suite, const model::Case& measured,
                                   MeasureSettings settings, const std::string& variant, std::stop_token stop);

  /// Trains the benchmark's click model, in one process with the settings of a measurement. Errors as `profile`.
  Result<Learned> learn(const model::Product& product, const Suite& suite, const model::Case& measured,
                        MeasureSettings settings, const LearningPlan& plan, std::stop_token stop);

  /// The benchmarks of the suite, each name with the suite's prefix.
  Result<std::vector<BenchmarkInfo>> list_benchmarks(const Suite& suite, std::stop_token stop);

 private:
  struct Turns;  // how a process alternates with another one
  struct Prepared {
    Command command;
    Package package;  // of aoti; `why` where the case cannot be measured
  };
  Result<Package> package_of(const ProductUnderTest& tested, const model::Case& measured,
                             const MeasureSettings& settings, std::stop_token stop);
  Result<Prepared> prepare(const ProductUnderTest& tested, const model::Case& measured, const MeasureSettings& settings,
                           std::stop_token stop);
  Result<Command> other_command(const char* subcommand, const ProductUnderTest& tested, const model::Case& measured,
                                const MeasureSettings& settings, const std::stop_token& stop);
  Result<model::Measurement> measure(const ProductUnderTest& tested, const model::Case& measured,
                                     MeasureSettings settings, const Turns* turns, std::stop_token stop);
  Result<ProcessOutcome> run(Command& command, std::stop_token stop);
  ProcessRunner& processes_;
  const Clock& clock_;
  Confinement confinement_;  ///< of every worker
};

/// The command that `measure` runs. Reports show it.
Command measure_command(const model::Product& product, const Suite& suite, const model::Case& measured,
                        const MeasureSettings& settings);

}  // namespace tbci::runner
