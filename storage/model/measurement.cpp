#include "storage/model/measurement.hpp"

#include <algorithm>
#include <numeric>

#include "base/assert.hpp"
#include "base/text.hpp"
#include "storage/model/names.hpp"

namespace tbci::model {

namespace {

const Names<Outcome> outcomes = {
    {Outcome::done, "done"},           {Outcome::unsupported, "unsupported"}, {Outcome::out_of_memory, "out_of_memory"},
    {Outcome::exception, "exception"}, {Outcome::crashed, "crashed"},         {Outcome::timed_out, "timed_out"},
    {Outcome::protocol, "protocol"}};
const Names<Purpose> purposes = {{Purpose::screen, "screen"},
                                 {Purpose::confirm, "confirm"},
                                 {Purpose::bisect, "bisect"},
                                 {Purpose::manual, "manual"}};

}  // namespace

std::string_view to_string(Outcome outcome) {
  return name_of(outcome, outcomes);
}

Result<Outcome> outcome_from(std::string_view text) {
  return value_of_name(text, outcomes, "outcome");
}

std::string_view to_string(Purpose purpose) {
  return name_of(purpose, purposes);
}

Result<Purpose> purpose_from(std::string_view text) {
  return value_of_name(text, purposes, "purpose");
}

std::optional<std::chrono::nanoseconds> beyond_iterations(const Measurement& measurement) {
  if (measurement.outcome != Outcome::done) return std::nullopt;
  const auto measured =
      std::accumulate(measurement.nanoseconds.begin(), measurement.nanoseconds.end(), std::int64_t{0});
  return measurement.wall - measurement.warmup - measurement.growth - std::chrono::nanoseconds(measured);
}

double median(std::vector<double> values) {
  TBCI_ASSERT(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::optional<double> value_of(const Measurement& measurement, Metric metric) {
  if (measurement.outcome != Outcome::done) return std::nullopt;
  const auto bytes = [](std::optional<std::int64_t> value) {
    return value ? std::optional(static_cast<double>(*value)) : std::nullopt;
  };
  switch (metric) {
    case Metric::time:
      if (measurement.nanoseconds.empty()) return std::nullopt;
      return median(std::vector<double>(measurement.nanoseconds.begin(), measurement.nanoseconds.end()));
    case Metric::cpu_memory:
      return bytes(measurement.cpu_peak_bytes);
    case Metric::gpu_memory:
      return bytes(measurement.gpu_peak_bytes);
    case Metric::gpu_reserved:
      return bytes(measurement.gpu_reserved_peak_bytes);
    case Metric::outcome:
      return std::nullopt;  // one process has no share
    case Metric::cpu_leak:
      return measurement.cpu_growth_bytes;
    case Metric::gpu_leak:
      return measurement.gpu_growth_bytes;
    case Metric::instructions:
      if (measurement.instructions.empty()) return std::nullopt;
      return median(std::vector<double>(measurement.instructions.begin(), measurement.instructions.end()));
  }
  TBCI_ASSERT(false);
}

std::optional<Interval> interval_of(const Measurement& measurement, Metric metric) {
  if (measurement.outcome != Outcome::done) return std::nullopt;
  if (metric == Metric::cpu_leak) return measurement.cpu_growth_interval;
  if (metric == Metric::gpu_leak) return measurement.gpu_growth_interval;
  return std::nullopt;
}

std::string Environment::fingerprint() const {
  std::string text;
  for (const auto& [name, value] : facts) text += fmt::format("{}:{}={}:{}\n", name.size(), name, value.size(), value);
  return sha256_hex(text);
}

}  // namespace tbci::model
