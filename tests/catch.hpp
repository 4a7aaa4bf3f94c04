// Catch2, version 2.13 (Debian 12) or 3 (newer): tests include this and nothing of Catch2 itself.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
#else
#include <catch2/catch.hpp>
#endif

namespace tbci::test {
#if __has_include(<catch2/catch_all.hpp>)
using Approx = Catch::Approx;
#else
using Approx = Catch::Detail::Approx;
#endif
}  // namespace tbci::test
