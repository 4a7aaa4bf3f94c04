#include "storage/model/words.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "storage/model/word_from.hpp"

namespace tbci::model {

std::string_view to_string(Metric metric) {
  switch (metric) {
    case Metric::time:
      return "time";
    case Metric::cpu_memory:
      return "cpu_memory";
    case Metric::gpu_memory:
      return "gpu_memory";
    case Metric::cpu_leak:
      return "cpu_leak";
    case Metric::gpu_leak:
      return "gpu_leak";
    case Metric::instructions:
      return "instructions";
    case Metric::gpu_reserved:
      return "gpu_reserved";
    case Metric::outcome:
      return "outcome";
  }
  TBCI_ASSERT(false);
}

Result<Metric> metric_from(std::string_view text) {
  std::array<Metric, all_metrics.size() + 1> all{};
  std::ranges::copy(all_metrics, all.begin());
  all.back() = Metric::outcome;
  return word_from(text, all, "metric");
}

std::string readable(Metric metric, double value) {
  switch (metric) {
    case Metric::time:
      return human_duration(std::chrono::nanoseconds(std::llround(value)));
    case Metric::cpu_memory:
    case Metric::gpu_memory:
    case Metric::gpu_reserved:
      return human_bytes(value);
    case Metric::cpu_leak:
    case Metric::gpu_leak:
      return human_bytes(value) + "/iteration";
    case Metric::instructions:
      return human_count(value) + " instructions";
    case Metric::outcome:
      return value > 0 ? fmt::format("fails in {:.3g}%", 100 * value) : "runs";
  }
  TBCI_ASSERT(false);
}

std::string to_string(const Case& measured) {
  return measured.benchmark + "/" + to_string(measured.configuration);
}

std::string to_string(const Series& series) {
  return to_string(series.measured_case()) + "/" + std::string(to_string(series.metric));
}

Result<Series> series_from(std::string_view text) {
  const auto parts = split(text, '/');
  if (parts.size() != 3 || parts[0].empty()) {
    return fail(ErrorKind::usage,
                "'{}' is not a series: write BENCHMARK/CONFIGURATION/METRIC, as in dlrm/cpu-train/time",
                one_line(text, 80));
  }
  TBCI_ASSIGN(const Configuration configuration, configuration_from(parts[1]));
  TBCI_ASSIGN(const Metric metric, metric_from(parts[2]));
  return Series{parts[0], configuration, metric};
}

}  // namespace tbci::model
