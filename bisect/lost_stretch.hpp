// When a search stops trying the commits of a stretch that does not build, or in which the case cannot be measured.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "bisect/next_action.hpp"

namespace tbci::bisect {

/// This many lost classes without a measured one among them are taken for one stretch. Trying the rest of its inside
/// would cost a build for each, and the time limits of a case that hangs, for a smaller set of suspects at best.
inline constexpr std::size_t telling_lost = 8;

/// Call it when class `at` is lost. Where the gap between measured classes around it has `telling_lost` lost ones, the
/// untried classes between the first and the last of them become skipped. Those at the edges stay: how far the stretch
/// reaches is still to be found. Pure; the first and the last class bound every gap.
void skip_between_lost(std::span<ClassState> states, std::size_t at);

/// Two measured classes with none between them, and what is said of them.
struct LostBracket {
  std::size_t good = 0, bad = 0;
  std::string bad_id, first_lost_id;
  std::string reason;  ///< why the first lost one is lost: one line
};
/// "200 commits before 5d13c6b cannot be built or measured (21 were tried; c2e79d0: REASON)". The number of those that
/// were tried is left out where it is all.
std::string lost_text(std::span<const ClassState> states, const LostBracket& bracket);

}  // namespace tbci::bisect
