// Broken invariants abort: going on with a wrong state would spoil what is stored.
#pragma once

namespace tbci {
[[noreturn]] void invariant_broken(const char* condition, const char* file, int line);
}

#define TBCI_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : ::tbci::invariant_broken(#condition, __FILE__, __LINE__))
