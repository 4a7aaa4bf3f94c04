#include "runner/libtorch.hpp"

#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"

namespace tbci::libtorch_test {

using namespace tbci::runner;

TEST_CASE("parse_version_py: reads a wheel's version as text", "[pip]") {
  const auto version = parse_version_py(
      "__all__ = ['__version__']\n__version__ = '2.13.0+cpu'\ngit_version: str = "
      "\"cf30153c4c131c8164ee7798e5022d810682e2cb\"\n");
  CHECK(version.version == "2.13.0+cpu");
  CHECK(version.git_version == "cf30153c4c131c8164ee7798e5022d810682e2cb");
  CHECK(parse_version_py("git_version = 'Unknown'\n").git_version.empty());
  CHECK(parse_version_py("__version__ = open('x')\n").version == "x");
  CHECK(parse_version_py("").version.empty());
}

TEST_CASE("missing_libraries: names the first three that the loader misses, in one line", "[worker]") {
  CHECK(missing_libraries("\tlibc.so.6 => /lib/libc.so.6 (0x1)\n").empty());
  CHECK(missing_libraries("\tlibgomp.so.1 => not found\n\tlibc.so.6 => /lib/libc.so.6 (0x1)\n") ==
        "libgomp.so.1 => not found");
  CHECK(missing_libraries(
            "undefined symbol: a (x)\nundefined symbol: b (x)\nliba.so => not found\nlibb.so => not found") ==
        "undefined symbol: a (x); undefined symbol: b (x); liba.so => not found");
}

TEST_CASE("loader_report: an ldd that fails without a word still says how", "[worker]") {
  test::ScriptedProcesses silent([](const Command&) {
    ProcessOutcome outcome;
    outcome.exit_code = 3;
    return outcome;
  });
  const auto report = loader_report(silent, "/a/library.so", {});
  REQUIRE_FALSE(report);
  CHECK(report.error().kind == ErrorKind::failed);
  CHECK(report.error().message.find("3") != std::string::npos);
}

}  // namespace tbci::libtorch_test
