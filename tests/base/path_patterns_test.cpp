#include "base/path_patterns.hpp"

#include "tests/catch.hpp"

namespace tbci::path_patterns_test {

TEST_CASE("path_matches: stars, double stars, question marks and exclusions", "[git]") {
  const auto fits = [](std::string_view path, std::vector<std::string> patterns) {
    return path_matches(path, patterns);
  };
  CHECK(fits("kernels/a.cpp", {"kernels/**"}));
  CHECK(fits("kernels/deep/a.cpp", {"kernels/**"}));
  CHECK_FALSE(fits("kernels", {"kernels/**"}));
  CHECK_FALSE(fits("other/kernels/a.cpp", {"kernels/**"}));
  CHECK(fits("a.cpp", {"*.cpp"}));
  CHECK_FALSE(fits("deep/a.cpp", {"*.cpp"}));
  CHECK(fits("deep/down/a.cpp", {"**/*.cpp"}));
  CHECK(fits("a.cpp", {"**/*.cpp"}));
  CHECK(fits("Makefile", {"?akefile"}));
  CHECK_FALSE(fits("/akefile", {"?akefile"}));
  CHECK_FALSE(fits("Makefile.old", {"Makefile"}));
  CHECK(fits("anything/at/all", {}));
  CHECK_FALSE(fits("docs/a.md", {"**", "!docs/**"}));
  CHECK(fits("docs/build.md", {"**", "!docs/**", "docs/build.md"}));
  CHECK(fits("src/a.cpp", {"!docs/**"}));
  CHECK_FALSE(fits("docs/a.md", {"!docs/**"}));
}

}  // namespace tbci::path_patterns_test
