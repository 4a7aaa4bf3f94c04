#include <cstdlib>
#include <string>

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::cuda_wheels_test {

using namespace tbci::test;
namespace fs = std::filesystem;

namespace {

// A driver's library that answers as one does that is older than the CUDA of the wheel.
constexpr const char* old_driver = R"(int cuInit(unsigned flags) { return 0; }
int cuDriverGetVersion(int* version) { *version = 11000; return 0; }
)";

constexpr const char* config_text = R"([measure]
processes = 1
processes_at_most = 1
benchmarks = ["lennard_jones"]
configurations = ["cpu-infer", "gpu-infer"]
[[subject]]
name = "wheels"
worker_families = ["lennard_jones"]
[subject.nightlies]
kind = "pip"
package = "torch"
index = "${TBCI_TEST_INDEX}"
pre_release = false
allow_cuda = true
)";

struct Bench {
  Bench() {
    REQUIRE(write_file_atomically(config, config_text));
    REQUIRE(write_file_atomically(installation.folder() / "driver.c", old_driver));
    fs::create_directory(driver);
    Command compile;
    compile.arguments = {"cc",
                         "-shared",
                         "-fPIC",
                         "-o",
                         (driver / "libcuda.so.1").string(),
                         (installation.folder() / "driver.c").string()};
    REQUIRE(run(compile).exit_code == 0);
  }

  Answer tbci(std::vector<std::string> arguments, const std::string& libraries = "") {
    Command command = installation.command(std::move(arguments));
    command.arguments[2] = config.string();
    const char* index = std::getenv("TBCI_TORCH_INDEX");
    command.environment["TBCI_TEST_INDEX"] = index == nullptr ? "" : index;
    if (!libraries.empty()) command.environment["LD_LIBRARY_PATH"] = libraries;
    return run(command);
  }

  Installation installation;
  fs::path config = installation.folder() / "cuda.toml", driver = installation.folder() / "driver";
};

}  // namespace

// Two versions of CUDA: a toolkit of this machine, if there is one, is of another version than one of them.
TEST_CASE("End to end: a wheel with CUDA is measured on a machine without a toolkit, and a broken driver is named",
          "[e2e]") {
  Bench bench;
  for (const std::string version : {"2.10.0", "2.14.1"}) {
    INFO(version);
    const Answer installed = bench.tbci({"nightly", "install", version});
    INFO(installed.error << installed.output);
    REQUIRE(installed.exit_code == 0);

    const Answer measured = bench.tbci({"run", "--build", version, "--json"});
    INFO(measured.error << measured.output);
    CHECK(measured.exit_code == 0);
    CHECK_THAT(measured.output, Catch::Contains("no CUDA device was found on this machine"));
    CHECK_THAT(measured.output, Catch::Contains("\"done\""));

    const Answer broken = bench.tbci({"run", "--build", version, "--again", "--json"}, bench.driver.string());
    INFO(broken.error << broken.output);
    CHECK(broken.exit_code == 1);
    CHECK_THAT(broken.output, Catch::Contains("CUDA finds no GPU: CUDA driver version is insufficient"));
    CHECK_THAT(broken.output, Catch::Contains("\"done\""));
  }
}

}  // namespace tbci::cuda_wheels_test
