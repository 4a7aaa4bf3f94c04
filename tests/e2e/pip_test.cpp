#include <cstdlib>

#include "base/file.hpp"
#include "tests/catch.hpp"
#include "tests/e2e/harness.hpp"

namespace tbci::pip_test {

using namespace tbci::test;

TEST_CASE("End to end: a real torch wheel is installed by pip and measured", "[e2e]") {
  Installation installation;
  const auto config = installation.folder() / "pip.toml";
  // The version that LibTorch came from: what pip is configured with has it.
  REQUIRE(write_file_atomically(config, R"([measure]
processes = 1
processes_at_most = 1
benchmarks = ["lennard_jones"]
configurations = ["cpu-train", "gpu-train"]
[[subject]]
name = "wheels"
worker_families = ["lennard_jones"]
[subject.nightlies]
kind = "pip"
package = "torch"
index = "${TBCI_TEST_INDEX}"
pre_release = false
)"));
  const auto tbci = [&](std::vector<std::string> arguments) {
    Command command = installation.command(std::move(arguments));
    command.arguments[2] = config.string();
    const char* index = std::getenv("TBCI_TORCH_INDEX");
    command.environment["TBCI_TEST_INDEX"] = index == nullptr ? "" : index;
    return run(command);
  };
  const Answer installed = tbci({"nightly", "install", "2.13.0", "--json"});
  INFO(installed.error << installed.output);
  REQUIRE(installed.exit_code == 0);
  const Answer measured = tbci({"run", "--build", "2.13.0", "--json"});
  INFO(measured.error << measured.output);
  REQUIRE(measured.exit_code == 0);
  const auto json = measured.json();
  CHECK(json["version"].get<std::string>().rfind("2.13.0", 0) == 0);
  CHECK(json["commit"].get<std::string>().size() == 40);
  REQUIRE(json["cases"].size() == 2);
  CHECK(json["cases"][0]["processes"][0]["nanoseconds"].size() == 10);
  CHECK(json["cases"][1]["processes"][0]["outcome"] == "unsupported");
}

}  // namespace tbci::pip_test
