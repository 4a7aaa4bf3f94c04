// What other runners say of the culprit and its parent: whether a change is of one machine alone.
#pragma once

#include <string>
#include <vector>

#include "storage/model/words.hpp"

namespace tbci::github {

/// Whether the time changed there as well.
enum class Elsewhere {
  slower,     ///< the whole interval is above the threshold
  unchanged,  ///< the whole interval is below it
  undecided,
};

/// What one other runner measured of the worst series. All texts may be hostile.
struct OtherRunner {
  std::string name;  ///< empty: it is not named
  Elsewhere verdict = Elsewhere::undecided;
  double change = 0, low = 0, high = 0;  ///< as fractions of the parent's time, with the 95% interval
  std::string difference;                ///< of its environment to that of the report; empty: unknown, or none
};

/// Lines of a list: `- Slower on `bench-1`, not on `bench-2` (dlrm (cpu-train): +0.3%, interval -0.8% to +1.4%).` with
/// what differs there. Empty for no others. Pure.
std::string other_runners_lines(const std::string& own_name, const model::Series& series,
                                const std::vector<OtherRunner>& others);

}  // namespace tbci::github
