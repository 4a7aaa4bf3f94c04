// What a workload counts of itself while it is measured, such as the hits of a cache. Shown beside the measurements and
// never judged.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tbci::suite {

enum class EvidenceUnit { count, bytes, nanoseconds };

struct Evidence {
  std::string name;  // "cache hits"
  std::string of;    // the part of the workload: "table 3", "rank 1"; empty: all of it
  EvidenceUnit unit = EvidenceUnit::count;
  double value = 0;  // of one iteration, as the mean of the measured ones; of memory: the peak
};

constexpr std::string_view name_of(EvidenceUnit unit) {
  return unit == EvidenceUnit::count ? "count" : unit == EvidenceUnit::bytes ? "bytes" : "nanoseconds";
}

}  // namespace tbci::suite
