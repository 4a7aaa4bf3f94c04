// suite/compile_or_excuse with a real compiler, for a family of models that does not compile with a LibTorch.
#include "base/file.hpp"
#include "base/process.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::compile_or_excuse_test {

namespace {

constexpr const char* family = R"(#include "suite/benchmark.hpp"
namespace tbci::suite::models::resnet {
std::vector<Benchmark> benchmarks();
std::vector<Benchmark> benchmarks() { return {Benchmark{1}}; }
}
)";

// A folder with one family and the one header that it needs.
struct Compiling {
  test::TemporaryDirectory folder;
  SystemProcessRunner processes;
  std::string compiler = "c++";

  explicit Compiling(const std::string& source) {
    put("suite/benchmark.hpp", "#include <vector>\nnamespace tbci::suite { struct Benchmark { int i; }; }\n");
    put("resnet.cpp", source);
  }
  void put(const std::string& name, const std::string& text) { REQUIRE(write_file_atomically(folder / name, text)); }

  ProcessOutcome run() {
    Command command;
    command.arguments = {std::string(TBCI_SOURCE_DIR) + "/suite/compile_or_excuse",
                         compiler,
                         "-std=c++17",
                         "-I" + folder.path().string(),
                         "-o",
                         (folder / "resnet.o").string(),
                         "-c",
                         (folder / "resnet.cpp").string()};
    const auto outcome = processes.run(command, {});
    REQUIRE(outcome);
    return *outcome;
  }

  // The text and names in the object file.
  std::string object() { return read_file(folder / "resnet.o").value(); }
};

}  // namespace

TEST_CASE("compile_or_excuse: compiles valid source and leaves no other files", "[worker]") {
  Compiling compiling(family);
  CHECK(compiling.run().succeeded());
  CHECK(compiling.object().find("resnet6excuseEv") == std::string::npos);
  CHECK_FALSE(std::filesystem::exists(compiling.folder / "resnet.o.errors"));
}

TEST_CASE("compile_or_excuse: an error in the source becomes an excuse that names it", "[worker]") {
  Compiling compiling(std::string(family) + "int f() { return torch_has_no_such_operator(1); }\n");
  const ProcessOutcome outcome = compiling.run();
  CHECK(outcome.succeeded());
  CHECK(outcome.error.find("resnet does not fit this LibTorch") != std::string::npos);
  const std::string object = compiling.object();
  CHECK(object.find("resnet6excuseEv") != std::string::npos);
  CHECK(object.find("resnet.cpp:6:18: error: 'torch_has_no_such_operator' was not declared") != std::string::npos);
}

TEST_CASE("compile_or_excuse: hostile compiler output stays inside the string literal", "[worker]") {
  Compiling compiling(family);
  compiling.compiler = test::write_script(compiling.folder / "compiler", R"(case "$*" in
*stand_in*) exec c++ "$@" ;;
*) echo 'resnet.cpp:1:1: error: \"; } #include "/etc/passwd" $(touch x) `touch x` ??/' >&2; exit 1 ;;
esac
)");
  CHECK(compiling.run().succeeded());
  CHECK(compiling.object().find("resnet6excuseEv") != std::string::npos);
}

TEST_CASE("compile_or_excuse: a compiler crash is not an excuse", "[worker]") {
  Compiling compiling(family);
  compiling.compiler =
      test::write_script(compiling.folder / "compiler", "echo 'c++: fatal error: Killed signal' >&2\nexit 1\n");
  const ProcessOutcome outcome = compiling.run();
  CHECK_FALSE(outcome.succeeded());
  CHECK_FALSE(std::filesystem::exists(compiling.folder / "resnet.o"));
}

}  // namespace tbci::compile_or_excuse_test
