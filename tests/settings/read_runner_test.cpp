#include "settings/read_runner.hpp"

#include "base/text.hpp"
#include "tests/catch.hpp"

namespace tbci::read_runner_test {

namespace {

Result<settings::Config> with_variables(const std::string& table) {
  return settings::parse_config("[runner]\nname = \"here\"\nenvironment = { " + table + " }\n", "x.toml");
}

std::string why_refused(const std::string& table) {
  const auto config = with_variables(table);
  REQUIRE_FALSE(config);
  CHECK(config.error().kind == ErrorKind::usage);
  return config.error().message;
}

}  // namespace

TEST_CASE("Configuration: workers are pinned to the CPUs that are named, or to none", "[config]") {
  CHECK(settings::parse_config("[runner]\npin = false\n", "x.toml").value().measure.worker.cpus.empty());
  const auto both = settings::parse_config("[runner]\npin = false\ncpus = [1]\n", "x.toml");
  REQUIRE_FALSE(both);
  CHECK(contains(both.error().message, "leave out one of them"));
}

TEST_CASE("Configuration: a runner's workers get the variables that it names", "[config]") {
  const auto config = with_variables(R"(ATEN_CPU_CAPABILITY = "default", ONEDNN_MAX_CPU_ISA = "AVX2")");
  REQUIRE(config);
  CHECK(config->runner.name == "here");
  CHECK(config->runner.variables ==
        std::map<std::string, std::string>{{"ATEN_CPU_CAPABILITY", "default"}, {"ONEDNN_MAX_CPU_ISA", "AVX2"}});
  const auto without = settings::parse_config("[runner]\nname = \"here\"\n", "x.toml");
  REQUIRE(without);
  CHECK(without->runner.variables.empty());
}

TEST_CASE("Configuration: a runner's variables cannot be secrets or what tbci sets itself", "[config]") {
  CHECK(contains(why_refused(R"(OMP_NUM_THREADS = "2")"), "OMP_NUM_THREADS is set by tbci: write [measure] threads"));
  CHECK(contains(why_refused(R"(LD_PRELOAD = "a.so")"), "LD_PRELOAD is set by tbci"));
  CHECK(contains(why_refused(R"(HUB_TOKEN = "x")"), "sounds like a secret"));
  CHECK(contains(why_refused(R"("A B" = "x")"), "cannot be the name of a variable"));
  CHECK(contains(why_refused(R"(MKL_CBWR = "")"), "must be one line"));
  CHECK(contains(why_refused(R"(MKL_CBWR = "a\nb")"), "must be one line"));
  CHECK(contains(why_refused(R"(HUB_TOKEN = "s3cret")"), "HUB_TOKEN"));
  CHECK_FALSE(contains(why_refused(R"(HUB_TOKEN = "s3cret")"), "s3cret"));
}

}  // namespace tbci::read_runner_test
