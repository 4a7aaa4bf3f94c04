// The units that values in a file may have.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "storage/model/words.hpp"

namespace tbci::series_io {

enum class Dimension { time, memory, count };

struct Unit {
  std::string name;  ///< as it was written
  Dimension dimension{};
  double factor = 1;  ///< ns, bytes or instructions in one
  /// `B` and `bytes` are the same.
  bool same_as(const Unit& other) const { return dimension == other.dimension && factor == other.factor; }
};

/// `ns`, `us`, `ms`, `s`; `bytes`, `KiB`, `MiB`, `GiB`, `TiB`, `kB`, `MB`, `GB`, `TB`, each also with `/iteration`
/// behind it; `instructions`. Error (usage): another word, with the nearest.
Result<Unit> unit_from(std::string_view text);

/// The unit in which tbci stores the metric: ns, bytes or instructions.
Unit unit_of(model::Metric metric);

/// The metric that a series has: the one that is named, else the last part of its name where that is a metric
/// (`dlrm/cpu-train/time`), else what its unit measures, else time. Errors (usage): no metric of that name, or one that
/// is not measured in that unit.
Result<model::Metric> metric_of(std::string_view series, const std::string& named, const Unit* unit);

}  // namespace tbci::series_io
