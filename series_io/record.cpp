#include "series_io/record.hpp"

#include <cmath>

namespace tbci::series_io {

std::string why_unusable(model::Metric metric, double value) {
  if (detect::is_usable(metric, value)) return {};
  if (!std::isfinite(value)) return "not a finite number";
  return fmt::format("{}, but {} is above 0", value, metric == model::Metric::time ? "a time" : to_string(metric));
}

}  // namespace tbci::series_io
