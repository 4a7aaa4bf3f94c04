#include "runner/build_variables.hpp"

#include "tests/catch.hpp"

namespace tbci::build_variables_test {

using runner::build_variables;

TEST_CASE("Build variables: what steers compilers counts, what changes only how they run does not", "[source]") {
  CHECK(build_variables({}).empty());
  CHECK(build_variables({{"HOME", "/nowhere"},
                         {"CMAKE_CXX_COMPILER_LAUNCHER", "ccache"},
                         {"CCACHE_DIR", "/c"},
                         {"CMAKE_BUILD_PARALLEL_LEVEL", "9"},
                         {"CUDA_VISIBLE_DEVICES", "1"},
                         {"CFLAGS", ""}})
            .empty());
  CHECK(build_variables({{"CXXFLAGS", "-O0"}, {"CMAKE_BUILD_TYPE", "Debug"}, {"CC", "clang"}}) ==
        "CC=clang\nCMAKE_BUILD_TYPE=Debug\nCXXFLAGS=-O0\n");
}

}  // namespace tbci::build_variables_test
