#include "daemon/config/config.hpp"

#include <cstdlib>

#include "tests/catch.hpp"

namespace tbci::test {

using daemon::parse_config;

namespace {

std::string error_of(const std::string& text) {
  const auto config = parse_config(text, "x.toml");
  REQUIRE_FALSE(config);
  CHECK(config.error().kind == ErrorKind::usage);
  return config.error().message;
}

constexpr const char* subject = "[[subject]]\nname = \"demo\"\n";

}  // namespace

TEST_CASE("Configuration: an empty file has defaults and no subject", "[config]") {
  const auto config = parse_config("", "x.toml");
  REQUIRE(config);
  CHECK(config->measure.processes == 5);
  CHECK(config->thresholds.relative == 0.07);
  CHECK(config->service.address == "127.0.0.1");
  CHECK_FALSE(config->subject(""));
}

TEST_CASE("Configuration: everything that is written is read", "[config]") {
  ::setenv("TBCI_TEST_PLACE", "somewhere", 1);
  const auto config = parse_config(R"(
[service]
state = "/x/${TBCI_TEST_PLACE}/y"
port = 9000
[runner]
name = "bench-1"
cpus = [2, 3]
[measure]
processes = 7
time_limit = 1.5
memory_limit_mib = 512
configurations = ["cpu-infer"]
[thresholds]
relative = 0.05
[report]
channels = ["folder", "github"]
github = { repository = "o/n", token_file = "t" }
[[subject]]
name = "demo"
schedule = "05:30"
[subject.source]
repository = "r"
recipe = [["make", "-j{jobs}"]]
preload = ["a.so"]
environment = { A = "b" }
[subject.nightlies]
kind = "pip"
package = "p"
index = ""
)",
                                   "x.toml");
  REQUIRE(config);
  CHECK(config->service.state == "/x/somewhere/y");
  CHECK(config->service.port == 9000);
  CHECK(config->measure.worker.cpus == std::vector{2, 3});
  CHECK(config->measure.worker.time_limit == std::chrono::milliseconds(1500));
  CHECK(config->measure.worker.memory_limit_bytes == 512U << 20);
  CHECK(config->measure.configurations == std::vector{model::Configuration::cpu_infer});
  CHECK(config->report.github.repository == "o/n");
  const auto demo = config->subject("demo");
  REQUIRE(demo);
  CHECK((*demo)->schedule == std::chrono::minutes(330));
  CHECK((*demo)->subject.source.recipe == std::vector<std::vector<std::string>>{{"make", "-j{jobs}"}});
  CHECK((*demo)->subject.source.environment.at("A") == "b");
  CHECK((*demo)->subject.nightly.kind == runner::NightlyKind::pip);
  CHECK((*demo)->subject.nightly.index_url.empty());
}

TEST_CASE("Configuration: a typo is named with its file, line and the nearest key", "[config]") {
  CHECK(error_of("[measure]\nproceses = 3\n") ==
        "x.toml:2: unknown key 'measure.proceses' (did you mean 'processes'?): [measure] takes processes, size, batch, "
        "warmup, iterations, leak_iterations, leak_time, threads, time_limit, memory_limit_mib, benchmarks, "
        "configurations");
  CHECK(error_of("[mesure]\n").find("did you mean 'measure'") != std::string::npos);
  CHECK(error_of("[[subject]]\nnam = \"x\"\n").find("did you mean 'name'") != std::string::npos);
  CHECK(error_of("[report]\n[report.github]\ntoken = \"x\"\n").find("unknown key 'report.github.token'") !=
        std::string::npos);
}

TEST_CASE("Configuration: values of the wrong kind or out of range are named", "[config]") {
  CHECK(error_of("[measure]\nprocesses = \"5\"\n") ==
        "x.toml:2: measure.processes: a whole number from 1 to 1000 is wanted");
  CHECK(error_of("[measure]\nprocesses = 0\n").find("from 1 to 1000") != std::string::npos);
  CHECK(error_of("[thresholds]\nrelative = -1\n").find("thresholds.relative") != std::string::npos);
  CHECK(error_of("[service]\nport = 70000\n").find("from 0 to 65535") != std::string::npos);
  CHECK(error_of("[measure]\nconfigurations = [\"cpu-tain\"]\n").find("did you mean 'cpu-train'") != std::string::npos);
  CHECK(error_of("[measure\n").find("x.toml:1: not valid TOML") == 0);
  CHECK(error_of("[service]\nstate = \"${TBCI_NOT_SET_ANYWHERE}\"\n") ==
        "x.toml:2: service.state: the environment variable TBCI_NOT_SET_ANYWHERE is not set");
  CHECK(error_of(std::string(subject) + "schedule = \"25:00\"\n").find("a time of the day") != std::string::npos);
  CHECK(error_of("[report]\nchannels = [\"github\"]\n").find("owner/name") != std::string::npos);
  CHECK(error_of("[report]\nchannels = [\"folder\", \"folder\"]\n").find("twice") != std::string::npos);
  CHECK(error_of("[thresholds]\nscreen = 0.08\n").find("hide regressions") != std::string::npos);
}

TEST_CASE("Configuration: a subject that could not work is refused", "[config]") {
  CHECK(error_of("[[subject]]\n").find("subject.name: is missing") != std::string::npos);
  CHECK(error_of("[[subject]]\nname = \"../x\"\n").find("letters, digits") != std::string::npos);
  CHECK(error_of(std::string(subject) + subject).find("two subjects are called 'demo'") != std::string::npos);
  CHECK(error_of(std::string(subject) + "[subject.source]\nrepository = \"r\"\npreload = [\"x\"]\n").find("recipe") !=
        std::string::npos);
  CHECK(error_of(std::string(subject) + "[subject.source]\nrepository = \"r\"\nrecipe = [[\"make\"]]\n")
            .find("libtorch") != std::string::npos);
}

TEST_CASE("Configuration: an unknown subject is answered with the nearest", "[config]") {
  const auto config = parse_config(std::string(subject) + "[[subject]]\nname = \"pytorch\"\n", "x.toml");
  REQUIRE(config);
  CHECK(config->subject("pytroch").error().message.find("did you mean 'pytorch'") != std::string::npos);
  CHECK(config->subject("").error().message.find("--subject") != std::string::npos);
}

TEST_CASE("Configuration: the shipped files are valid", "[config]") {
  ::setenv("TBCI_LIBTORCH", "/somewhere", 1);
  ::setenv("TBCI_DEMO_REPOSITORY", "/somewhere", 1);
  for (const char* name : {"demo.toml", "pytorch-cpu.toml"}) {
    const auto config = daemon::read_config(std::string(TBCI_SOURCE_DIR) + "/configs/" + name);
    INFO(name << ": " << (config ? "" : config.error().message));
    CHECK(config.has_value());
  }
}

}  // namespace tbci::test
