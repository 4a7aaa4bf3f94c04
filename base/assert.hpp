// Broken invariants abort: going on with a wrong state would spoil what is stored.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace tbci {

[[noreturn]] inline void invariant_broken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tbci: %s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tbci

#define TBCI_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::tbci::invariant_broken(#condition, __FILE__, __LINE__))
