#include "suite/ranks/cpus.hpp"

#include <sched.h>

#include <cstdlib>

namespace tbci::suite::ranks {

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

void pin_to(const std::vector<int>& cpus) {
  if (cpus.empty()) return;
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const int cpu : cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
  ::sched_setaffinity(0, sizeof set, &set);
}

std::vector<int> cpus_of(int rank, int threads, const std::vector<int>& allowed) {
  if (cpus_are_shared()) return allowed;
  const auto first = allowed.begin() + static_cast<std::ptrdiff_t>(rank) * threads;
  return {first, first + threads};
}

std::string why_too_few_cpus(int ranks, int threads, const std::vector<int>& allowed) {
  const auto needed = static_cast<std::size_t>(ranks) * static_cast<std::size_t>(threads);
  if (needed <= allowed.size() || cpus_are_shared()) return {};
  const std::string each = threads == 1 ? "a CPU each" : std::to_string(threads) + " CPUs each";
  return std::to_string(ranks) + " ranks need " + each + ", and this process may use " +
         std::to_string(allowed.size()) + " (--ranks, --threads, the CPUs that the worker is pinned to)";
}

bool cpus_are_shared() {
  const char* text = std::getenv("TBCI_RANKS_SHARE_CPUS");
  return text != nullptr && std::string(text) == "1";
}

}  // namespace tbci::suite::ranks
