// The words that every stage uses: configurations, metrics, series.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.hpp"
#include "storage/model/configuration.hpp"

namespace tbci::model {

enum class Metric {
  time,        ///< ns of one iteration, median of a process
  cpu_memory,  ///< bytes: peak resident set while it was measured
  gpu_memory,  ///< bytes: allocator's peak while it was measured
  cpu_leak,    ///< bytes by which an iteration grows the process's memory
  gpu_leak,    ///< bytes by which an iteration grows the allocator's memory
  /// User-mode instructions of one iteration, median of a process. Nothing where the machine does not count them.
  instructions,
  gpu_reserved,  ///< bytes: peak of what the allocator had from the driver
  /// Whether processes fail: the share of those that do. Not a number of one process, so not one of all_metrics.
  outcome,
};
inline constexpr std::array all_metrics = {Metric::time,        Metric::cpu_memory, Metric::gpu_memory,
                                           Metric::cpu_leak,    Metric::gpu_leak,   Metric::instructions,
                                           Metric::gpu_reserved};

/// Whether a metric is shown beside the others and never judged by itself: a user waits for the time of an
/// iteration, however many instructions it takes.
constexpr bool is_secondary(Metric metric) {
  return metric == Metric::instructions;
}

/// `cpu_memory`, as on the command line and in the database.
std::string_view to_string(Metric metric);
Result<Metric> metric_from(std::string_view text);

/// A value of a metric as a person reads it: `12.3 ms`, `64 MiB`, `1 KiB/iteration`, `812 M instructions`.
std::string readable(Metric metric, double value);

/// What one worker process measures.
struct Case {
  std::string benchmark;
  Configuration configuration{};
  auto operator<=>(const Case&) const = default;  // NOLINT(modernize-use-nullptr): its 0 is the compiler's
};
/// `dlrm/cpu-train`
std::string to_string(const Case& measured);

/// One number over the nights (on one runner).
struct Series {
  std::string benchmark;
  Configuration configuration{};
  Metric metric{};
  Case measured_case() const { return {benchmark, configuration}; }
  auto operator<=>(const Series&) const = default;  // NOLINT(modernize-use-nullptr): its 0 is the compiler's
};
/// `dlrm/cpu-train/time`, `dlrm/cpu-infer:jit-frozen/time`
std::string to_string(const Series& series);
Result<Series> series_from(std::string_view text);

/// Values of an old build (first) and of a new one, from processes that ran one after the other, in the metric's unit.
using ValuePair = std::pair<double, double>;

}  // namespace tbci::model
