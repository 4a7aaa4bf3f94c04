#include "bisect/lost_stretch.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/assert.hpp"
#include "base/text.hpp"

namespace tbci::bisect {

void skip_between_lost(std::span<ClassState> states, std::size_t at) {
  TBCI_ASSERT(at > 0 && at + 1 < states.size());
  std::size_t begin = at, end = at;  // of the gap
  while (begin > 1 && states[begin - 1] != ClassState::measured) --begin;
  while (end + 2 < states.size() && states[end + 1] != ClassState::measured) ++end;
  const auto gap = states.subspan(begin, end - begin + 1);
  if (std::ranges::count(gap, ClassState::lost) < static_cast<std::ptrdiff_t>(telling_lost)) return;
  const auto is_lost = [](ClassState state) { return state == ClassState::lost; };
  const auto first = std::ranges::find_if(gap, is_lost);
  const auto last = std::find_if(gap.rbegin(), gap.rend(), is_lost).base();
  std::replace(first, last, ClassState::untried, ClassState::skipped);
}

std::string lost_text(std::span<const ClassState> states, const LostBracket& bracket) {
  const auto inside = states.subspan(bracket.good + 1, bracket.bad - bracket.good - 1);
  const auto tried = static_cast<std::size_t>(std::ranges::count(inside, ClassState::lost));
  return fmt::format("{} before {} cannot be built or measured ({}{}: {})", counted(inside.size(), "commit"),
                     bracket.bad_id, tried < inside.size() ? fmt::format("{} were tried; ", tried) : "",
                     bracket.first_lost_id, bracket.reason);
}

}  // namespace tbci::bisect
