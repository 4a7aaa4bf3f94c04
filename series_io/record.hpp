// One series as a file has it, whatever the format.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "detect/effect.hpp"
#include "series_io/units.hpp"

namespace tbci::series_io {

/// How much of a file is held in memory at most.
struct Limits {
  std::size_t line_bytes = std::size_t{64} << 20;
  std::size_t samples = 4'000'000;  ///< of one night; only the median is kept of them
  std::size_t nights = 100'000;     ///< of one series
  std::size_t pairs = 100'000;
  std::size_t text_bytes = 512;  ///< of a name
  int depth = 16;                ///< lists and objects inside each other
  std::size_t series = 1'000'000;
  std::size_t cells = 20'000'000;  ///< of a CSV table
};

/// What a night gave: the median of its samples, in the unit of the series.
struct NightValue {
  std::string build;
  std::optional<double> value;
  std::string reason;       ///< why there is no value
  bool is_problem = false;  ///< one of its samples is impossible
};

using Nights = std::vector<NightValue>;

struct Pairs {
  std::vector<detect::Pair> pairs;  ///< in the unit of the series
  std::string problem;              ///< the first impossible pair, and why; empty: none
};

struct Record {
  std::string series;
  Unit unit;
  model::Metric metric{};
  std::variant<Nights, Pairs> data;
};

/// Why a value of that metric is impossible: `not a finite number`, `-4, but a time is above 0`. Empty: it is possible.
inline std::string why_unusable(model::Metric metric, double value) {
  if (detect::is_usable(metric, value)) return {};
  if (!std::isfinite(value)) return "not a finite number";
  return fmt::format("{}, but {} is above 0", value, metric == model::Metric::time ? "a time" : to_string(metric));
}

}  // namespace tbci::series_io
