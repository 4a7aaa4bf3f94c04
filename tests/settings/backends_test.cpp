#include "settings/config.hpp"
#include "tests/catch.hpp"

namespace tbci::backends_test {

namespace {

std::string error_of(const std::string& text) {
  const auto config = settings::parse_config(text, "x.toml");
  return config ? "" : config.error().message;
}

}  // namespace

TEST_CASE("Configuration: backends are read once each, and eager alone is the default", "[config]") {
  const auto config =
      settings::parse_config("[measure]\nbackends = [\"eager\", \"jit-frozen\", \"eager\"]\n", "x.toml");
  REQUIRE(config);
  CHECK(config->measure.backends == std::vector{model::Backend::eager, model::Backend::jit_frozen});
  CHECK(settings::parse_config("", "x.toml").value().measure.backends == std::vector{model::Backend::eager});
}

TEST_CASE("Configuration: an unknown backend, and one in a configuration's name, are errors", "[config]") {
  CHECK(error_of("[measure]\nbackends = [\"jit-frozn\"]\n").find("did you mean 'jit-frozen'") != std::string::npos);
  CHECK(error_of("[measure]\nconfigurations = [\"cpu-infer:jit\"]\n").find("unknown configuration") !=
        std::string::npos);
}

}  // namespace tbci::backends_test
