// LibTorch and Catch2 in one file: both have a macro CHECK, and the tests mean Catch2's.
#pragma once

#include <torch/torch.h>

#undef CHECK

#include "tests/catch.hpp"
