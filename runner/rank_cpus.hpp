// The CPUs of a benchmark of several processes.
#pragma once

#include <vector>

namespace tbci::runner {

/// `pinned` and, where that is fewer than `count`, more of `allowed` from its end on, ascending. As many as there are
/// where that is too few: the worker then says what it lacks. None pinned: none, which means any. Pure.
std::vector<int> cpus_for_ranks(std::vector<int> pinned, const std::vector<int>& allowed, int count);

}  // namespace tbci::runner
