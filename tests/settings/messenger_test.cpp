#include "settings/config.hpp"
#include "tests/catch.hpp"

namespace tbci::messenger_setting_test {

using namespace tbci::settings;

TEST_CASE("Configuration: a messenger delivers to GitHub unless a file of the token is named", "[config]") {
  const auto messenger = [](const std::string& report) {
    return parse_config("[report]\n" + report + "[report.github]\nrepository = \"o/n\"\n", "x.toml")
        .value()
        .report.messenger;
  };
  CHECK(messenger("channels = [\"github\"]\n"));
  CHECK_FALSE(messenger("channels = [\"folder\"]\n"));
  CHECK_FALSE(messenger("channels = [\"github\"]\nmessenger = false\n"));
}

}  // namespace tbci::messenger_setting_test
