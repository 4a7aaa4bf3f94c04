// What a model counts of itself while it is measured, such as the hits of a cache. Shown and never judged.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace tbci::model {

enum class EvidenceUnit { count, bytes, nanoseconds };
std::string_view to_string(EvidenceUnit unit);
Result<EvidenceUnit> evidence_unit_from(std::string_view text);

struct Evidence {
  std::string name;  ///< `hits`, as the worker wrote it: hostile
  std::string of;    ///< the part of the model, `table 3`; empty: all of it
  EvidenceUnit unit = EvidenceUnit::count;
  double value = 0;  ///< of one iteration, as the mean of the measured ones; of memory: the peak
  bool operator==(const Evidence&) const = default;
};

}  // namespace tbci::model
