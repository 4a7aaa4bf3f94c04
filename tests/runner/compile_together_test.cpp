// suite/compile_together with a real compiler: families in one file, apart where they do not compile together.
#include "base/file.hpp"
#include "base/process.hpp"
#include "tests/catch.hpp"
#include "tests/runner/fixtures.hpp"
#include "tests/temporary_directory.hpp"

namespace tbci::compile_together_test {

namespace {

std::string family(const std::string& name, const std::string& more) {
  return "#include \"suite/benchmark.hpp\"\nnamespace tbci::suite {\n" + more +
         "\n}\nnamespace tbci::suite::models::" + name +
         " {\nstd::vector<Benchmark> benchmarks();\nstd::vector<Benchmark> benchmarks() { return {}; }\n}\n";
}

// A folder with two families, the file that includes both, and the one header that they need.
struct Compiling {
  test::TemporaryDirectory folder;
  SystemProcessRunner processes;

  Compiling(const std::string& in_resnet, const std::string& in_vgg) {
    put("suite/benchmark.hpp",
        "#pragma once\n#include <vector>\nnamespace tbci::suite { struct Benchmark { int i; }; }\n");
    put("resnet.cpp", family("resnet", in_resnet));
    put("vgg.cpp", family("vgg", in_vgg));
    put("unity.cxx",
        "#include \"" + (folder / "resnet.cpp").string() + "\"\n#include \"" + (folder / "vgg.cpp").string() + "\"\n");
  }
  void put(const std::string& name, const std::string& text) { REQUIRE(write_file_atomically(folder / name, text)); }

  ProcessOutcome run() {
    const std::string suite = std::string(TBCI_SOURCE_DIR) + "/suite/";
    Command command;
    command.arguments = {
        suite + "compile_together",    "sh", suite + "compile_or_excuse",   "c++", "-std=c++17",
        "-I" + folder.path().string(), "-o", (folder / "unity.o").string(), "-c",  (folder / "unity.cxx").string()};
    const auto outcome = processes.run(command, {});
    REQUIRE(outcome);
    return *outcome;
  }

  bool object_has(const std::string& name) {
    return read_file(folder / "unity.o").value().find(name) != std::string::npos;
  }
  std::size_t files() {
    const std::filesystem::directory_iterator all(folder.path());
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
};

constexpr std::size_t sources_and_object = 5;

}  // namespace

TEST_CASE("compile_together: sources that fit together become one object", "[worker]") {
  Compiling compiling("struct Basic {};", "struct Plain {};");
  CHECK(compiling.run().succeeded());
  CHECK(compiling.object_has("resnet10benchmarksEv"));
  CHECK(compiling.object_has("vgg10benchmarksEv"));
  CHECK(compiling.files() == sources_and_object);
}

TEST_CASE("compile_together: sources that use one name for two things are compiled apart and joined", "[worker]") {
  Compiling compiling("struct Shape { int a; };", "struct Shape { int b; };");
  const ProcessOutcome outcome = compiling.run();
  INFO(outcome.error);
  CHECK(outcome.succeeded());
  CHECK(outcome.error.find("compiled apart") != std::string::npos);
  CHECK(compiling.object_has("resnet10benchmarksEv"));
  CHECK(compiling.object_has("vgg10benchmarksEv"));
  CHECK_FALSE(compiling.object_has("excuseEv"));
  CHECK(compiling.files() == sources_and_object);
}

TEST_CASE("compile_together: a family that does not compile has an excuse, and the other one is compiled", "[worker]") {
  Compiling compiling("struct Shape { int a; };", "int broken() { return torch_has_no_such_operator(1); }");
  CHECK(compiling.run().succeeded());
  CHECK(compiling.object_has("vgg6excuseEv"));
  CHECK_FALSE(compiling.object_has("resnet6excuseEv"));
  CHECK(compiling.object_has("resnet10benchmarksEv"));
}

}  // namespace tbci::compile_together_test
