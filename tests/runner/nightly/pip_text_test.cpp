#include "runner/nightly/pip_text.hpp"

#include "tests/catch.hpp"

namespace tbci::pip_text_test {

using namespace tbci::runner;

namespace {

// Output of pip 23.2 for an index of nightlies.
const std::string recorded_index =
    "torch (2.13.0.dev20260518+cpu)\n"
    "Available versions: 2.13.0.dev20260518+cpu, 2.13.0.dev20260517+cpu, 2.12.0.dev20260401+cpu\n"
    "  INSTALLED: 2.13.0+cpu\n  LATEST:    2.13.0.dev20260518+cpu\n";

}  // namespace

TEST_CASE("parse_pip_index: reads only versions, oldest first", "[pip]") {
  const auto versions = parse_pip_index(recorded_index);
  REQUIRE(versions);
  CHECK(*versions ==
        std::vector<std::string>{"2.12.0.dev20260401+cpu", "2.13.0.dev20260517+cpu", "2.13.0.dev20260518+cpu"});
  CHECK(parse_pip_index("Available versions: 1.0, ../../etc, --evil, 2.0\n").value() ==
        std::vector<std::string>{"2.0", "1.0"});
  CHECK_FALSE(parse_pip_index("something else"));
}

TEST_CASE("parse_pip_complaint: reads the versions in the error of an old pip", "[pip]") {
  const auto versions = parse_pip_complaint(
      "ERROR: Could not find a version that satisfies the requirement torch==0+no (from versions: 1.7.0, 1.7.1, "
      "1.8.0)\n"
      "ERROR: No matching distribution found for torch==0+no\n");
  CHECK(versions.value() == std::vector<std::string>{"1.7.0", "1.7.1", "1.8.0"});
  CHECK(parse_pip_complaint("(from versions: none)").value().empty());
  CHECK_FALSE(parse_pip_complaint("no network"));
}

TEST_CASE("main_commit_of_nightly: reads the commit in the message of the nightly branch", "[pip]") {
  const std::string commit = "0123456789abcdef0123456789abcdef01234567";
  CHECK(main_commit_of_nightly("2026-01-07 nightly release (" + commit + ")") == commit);
  CHECK(main_commit_of_nightly("2026-01-07 nightly release (" + commit + ")\n\nmore\n") == commit);
  for (const std::string& other :
       {"2026-01-07 nightly release (" + commit.substr(1) + ")", "2026-01-07 nightly release (" + commit + "0)",
        "2026-1-07 nightly release (" + commit + ")", "Revert 2026-01-07 nightly release (" + commit + ")",
        std::string("2026-01-07 nightly release (0123456789ABCDEF0123456789abcdef01234567)"), std::string()}) {
    INFO(other);
    CHECK_FALSE(main_commit_of_nightly(other));
  }
}

TEST_CASE("pip_conflict: reads which packages do not fit together", "[pip]") {
  CHECK(
      pip_conflict(
          "Collecting torch==2.15.0\n\nThe conflict is caused by:\n    The user requested torch==2.15.0\n    The user "
          "requested (constraint) torch<=2.14.1\n\nTo fix this you could try to:\n1. loosen the range\n"
          "ERROR: ResolutionImpossible: for help visit https://pip.pypa.io\n") ==
      "The user requested torch==2.15.0; The user requested (constraint) torch<=2.14.1");
  CHECK(pip_conflict("ERROR: No matching distribution found for torch==9").empty());
}

TEST_CASE("resolved_wheels: reads an installation report, and refuses what is not one", "[pip]") {
  const std::string digest(64, 'a');
  const auto wheels = resolved_wheels(R"({"install":[{"metadata":{"name":"torch","version":"2.14.1+cpu"},
    "download_info":{"archive_info":{"hashes":{"sha256":")" +
                                      digest + R"("}}}},
    {"metadata":{"name":"nvidia-cublas","version":"13.1"}},
    {"metadata":{"name":"cuda-bindings","version":"13.2"},"download_info":{"archive_info":{"hashes":{"sha256":"x"}}}}]})");
  REQUIRE(wheels);
  CHECK(*wheels == std::vector<ResolvedWheel>{
                       {"torch", "2.14.1+cpu", digest}, {"nvidia-cublas", "13.1", {}}, {"cuda-bindings", "13.2", {}}});
  CHECK(cuda_packages(*wheels) == std::vector<std::string>{"nvidia-cublas", "cuda-bindings"});
  for (const char* report : {"no report", "[]", R"({"install":[5]})", R"({"install":[{"metadata":{"name":"torch"}}]})",
                             R"({"install":[{"metadata":{"name":"--index-url","version":"1"}}]})",
                             R"({"install":[{"metadata":{"name":"torch","version":"1\n--index-url http://evil"}}]})",
                             R"({"install":[{"metadata":{"name":"torch","version":"1 ; x"}}]})"}) {
    INFO(report);
    CHECK_FALSE(resolved_wheels(report));
  }
}

TEST_CASE("requirements_for: names digests where all are known, as pip wants all or none", "[pip]") {
  const std::string digest(64, 'a');
  CHECK(requirements_for({{"torch", "2.0", digest}, {"sympy", "1.13", digest}}) ==
        "torch==2.0 --hash=sha256:" + digest + "\nsympy==1.13 --hash=sha256:" + digest + "\n");
  CHECK(requirements_for({{"torch", "2.0", digest}, {"sympy", "1.13", {}}}) == "torch==2.0\nsympy==1.13\n");
}

}  // namespace tbci::pip_text_test
