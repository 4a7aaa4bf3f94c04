// The positions of faults, of commits that do not build, and of their repairs in the day of the faults.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

#include "base/result.hpp"
#include "miniature/options.hpp"

namespace tbci::miniature {

/// Positions are 1-based in the day of the faults.
struct Layout {
  std::vector<std::size_t> faults;    ///< of each fault of the options, in their order
  std::set<std::size_t> unbuildable;  ///< what does not build
  std::set<std::size_t> repairs;      ///< the first that builds again behind each stretch

  /// The commits among which `position` is, where builds alone can tell: one where it and its parent build.
  std::vector<std::size_t> indistinguishable(std::size_t position) const;
};

/// `faults` are those that are put in, `commits` is the length of the day. Fails (usage) where they do not fit.
Result<Layout> lay_out(const Options& options, const std::vector<Fault>& faults, std::size_t commits);

}  // namespace tbci::miniature
