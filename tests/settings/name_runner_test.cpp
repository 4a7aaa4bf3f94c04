#include "settings/config.hpp"
#include "tests/catch.hpp"

namespace tbci::name_runner_test {

TEST_CASE("Config: reports name the machine only where that is wanted, as its name may be that of the host") {
  const auto named = [](const std::string& line) {
    const auto config = settings::parse_config("[report]\n" + line + "[[subject]]\nname = \"demo\"\n", "x.toml");
    REQUIRE(config);
    return config->report.name_runner;
  };
  CHECK_FALSE(named(""));
  CHECK_FALSE(named("name_runner = false\n"));
  CHECK(named("name_runner = true\n"));
}

}  // namespace tbci::name_runner_test
