#include "runner/rank_cpus.hpp"

#include <algorithm>
#include <ranges>

namespace tbci::runner {

std::vector<int> cpus_for_ranks(std::vector<int> pinned, const std::vector<int>& allowed, int count) {
  if (pinned.empty()) return pinned;
  for (const int cpu : std::views::reverse(allowed)) {
    if (static_cast<int>(pinned.size()) >= count) break;
    if (std::ranges::find(pinned, cpu) == pinned.end()) pinned.push_back(cpu);
  }
  std::ranges::sort(pinned);
  return pinned;
}

}  // namespace tbci::runner
