// The measurement of one worker process, and the runs that measurements belong to.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "storage/model/evidence.hpp"
#include "storage/model/words.hpp"

namespace tbci::model {

enum class Outcome {
  done,
  unsupported,  ///< the configuration does not exist here: a fact, not a failure
  out_of_memory,
  exception,  ///< the model threw
  crashed,    ///< a signal or an exit without `done`
  timed_out,
  protocol,  ///< it printed what the protocol does not know
};
std::string_view to_string(Outcome outcome);
Result<Outcome> outcome_from(std::string_view text);

/// Where the time of one iteration went on the GPU, as in Table 2 of the TorchBench paper. Shown beside the metrics and
/// not judged: its cost is part of the time.
struct GpuSplit {
  std::chrono::nanoseconds active{};    ///< kernels ran
  std::chrono::nanoseconds movement{};  ///< none ran, but data moved between CPU and GPU
  std::chrono::nanoseconds idle{};      ///< neither
  bool operator==(const GpuSplit&) const = default;
};

/// What a GPU was like while it was measured.
struct GpuLoad {
  std::int64_t sm_mhz_low = 0, sm_mhz_high = 0;  ///< of its multiprocessors' clock
  std::int64_t celsius = 0;                      ///< the highest
  std::int64_t held_down_by = 0;                 ///< bits of nvmlClocksThrottleReason...: what held the clock down
  bool operator==(const GpuLoad&) const = default;
};

/// What a backend other than eager took, as evidence beside the numbers.
struct Compiling {
  std::chrono::nanoseconds time{};       ///< to trace and to compile, the package of aoti included
  std::int64_t unsteady_iterations = 0;  ///< first iterations, not measured, that were slower than the measured ones
  double difference = 0;                 ///< between its results and eager's, by their norm: the largest
  bool operator==(const Compiling&) const = default;
};

/// The interval of an estimate.
struct Interval {
  double low = 0, high = 0;
  bool operator==(const Interval&) const = default;
};

/// Everything that one fresh process of a case measured. Measurements are never deleted.
struct Measurement {
  Case measured;
  Outcome outcome = Outcome::done;
  std::string message;                     ///< why, where the outcome is not `done`
  std::string details;                     ///< of a failure: the last lines that it said, hostile; may be empty
  std::optional<bool> finite;              ///< whether its results were finite numbers, where the worker looked
  std::vector<std::int64_t> nanoseconds;   ///< one per iteration, in order
  std::vector<std::int64_t> instructions;  ///< the same, where the machine counts them; else empty
  std::optional<std::int64_t> cpu_peak_bytes, gpu_peak_bytes;
  std::optional<std::int64_t> gpu_reserved_peak_bytes;  ///< what the GPU's allocator had from the driver
  /// Bytes an iteration leaves behind: in use by the allocator's count, in the resident set, on the GPU. With 99%
  /// intervals where the worker gave them. Only processes that look for leaks have them.
  std::optional<double> cpu_growth_bytes, rss_growth_bytes, gpu_growth_bytes;
  std::optional<Interval> cpu_growth_interval, rss_growth_interval, gpu_growth_interval;
  std::string torch_version, torch_git;  ///< as the worker reported them
  TimePoint started{};
  std::chrono::nanoseconds wall{};    ///< of the whole process
  std::chrono::nanoseconds warmup{};  ///< of the iterations that are not measured
  /// Its iterations took turns with those of the other process of its pair, one by one.
  bool alternating = false;
  std::optional<GpuSplit> gpu_split;   ///< of iterations after the measured ones, where the worker can trace them
  std::optional<GpuLoad> gpu_load;     ///< where the worker can read it
  std::optional<Compiling> compiling;  ///< nothing in eager mode
  std::vector<Evidence> evidence;      ///< what the model counts of itself; mostly none
  std::chrono::nanoseconds growth{};   ///< of the iterations that look for leaks; 0: there were none
};

/// A process on an old build and one on a new build, measured together.
struct MeasurementPair {
  Measurement before, after;
};

/// The time that the process took beside its iterations: starting, loading, making the model, writing the results.
/// Nullopt where it did not end as it should.
std::optional<std::chrono::nanoseconds> beyond_iterations(const Measurement& measurement);

/// The one number that a process adds to a series: the median of its times, its peak, its growth. Nothing where the
/// process did not measure that.
std::optional<double> value_of(const Measurement& measurement, Metric metric);

/// The interval of a leak's value; nullopt for other metrics, and where the worker did not report one.
std::optional<Interval> interval_of(const Measurement& measurement, Metric metric);

/// Median of the values (mean of the middle two). Undefined for none: asserts.
double median(std::vector<double> values);

enum class Purpose { screen, confirm, bisect, manual };
std::string_view to_string(Purpose purpose);
Result<Purpose> purpose_from(std::string_view text);

/// Everything about a machine that can move a number: `{"cpu": "...", "governor": "...", ...}`. Equal facts, equal
/// fingerprint.
struct Environment {
  std::map<std::string, std::string> facts;
  std::string fingerprint() const;  ///< 64 hex digits
};

/// A planned set of measurements: a pass of the suite over a build, an interleaved comparison, a probe. Its key names
/// it for good, so a run that was cut off is found again and goes on.
struct Run {
  std::int64_t id = 0;
  std::string subject;
  std::string key;  ///< unique: `2026-01-07/screen`
  Purpose purpose{};
  std::string runner;       ///< name of the machine
  std::string environment;  ///< fingerprint
  TimePoint started{};
  std::optional<TimePoint> finished;
};

/// Where a measurement stands in its run: the `ordinal`-th process of that case on that build, from 0.
struct Place {
  std::int64_t run_id = 0;
  std::int64_t build_id = 0;
  int ordinal = 0;
};

struct PlacedMeasurement {
  Place place;
  Measurement measurement;
};

}  // namespace tbci::model
