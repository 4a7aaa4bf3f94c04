// The positions of faults, of commits that do not build, and of their repairs in one day.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "base/result.hpp"
#include "miniature/options.hpp"

namespace tbci::miniature {

/// Positions are 1-based in the day.
struct Layout {
  std::vector<std::size_t> faults;    ///< of each fault that was put in, in their order
  std::set<std::size_t> unbuildable;  ///< what does not build
  std::set<std::size_t> repairs;      ///< the first that builds again behind each stretch

  /// The commits among which `position` is, where builds alone can tell: one where it and its parent build.
  std::vector<std::size_t> indistinguishable(std::size_t position) const;
};

/// What one day has to hold.
struct DayPlan {
  std::vector<Fault> faults;  ///< also the reverts: what is drawn for them is the same
  std::size_t commits = 0;    ///< the length of the day
  std::uint64_t seed = 1;
  std::optional<std::vector<int>> unbuildable;  ///< as in Options
  bool unbuildable_beside_culprit = false;
};

/// Fails (usage) where it does not fit.
Result<Layout> lay_out(const DayPlan& day);

}  // namespace tbci::miniature
