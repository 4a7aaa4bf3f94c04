#include "base/assert.hpp"

#include <cstdio>
#include <cstdlib>

namespace tbci {

void invariant_broken(const char* condition, const char* file, int line) {
  std::fprintf(stderr, "tbci: %s:%d: broken invariant: %s\n", file, line, condition);
  std::abort();
}

}  // namespace tbci
