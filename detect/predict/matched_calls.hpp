// Which call of one recording is which of another one, of another batch. Pure; safe from any thread.
#pragma once

#include <cstddef>
#include <vector>

#include "detect/predict/recorded_calls.hpp"

namespace tbci::detect {

struct MatchedCalls {
  std::vector<std::ptrdiff_t> partner;  ///< of each call of the first recording: its place in the other; below 0: none
  std::vector<bool> differs_inside;  ///< the same call makes other calls in the other recording; those have no partner
};

/// The model's own calls are matched in order by their names (the longest common subsequence of each lane), then what
/// each of them calls, where that is the same. `zero_` calls `fill_` for a large tensor alone: it is matched, and
/// differs inside. Beyond 2000 calls by 2000 in a row that differ, none of those is matched.
MatchedCalls match_calls(const RecordedIteration& one, const RecordedIteration& other);

}  // namespace tbci::detect
