// LibTorch and Catch2 in one file: both have a macro CHECK, and the tests mean Catch2's.
#pragma once

#ifdef TEST_CASE
#error "a test before this one in the same unit includes tests/catch.hpp: it has to include this header instead"
#endif

#include <torch/torch.h>

#undef CHECK

#include "tests/catch.hpp"
