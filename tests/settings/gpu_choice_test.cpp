#include <string>

#include "settings/config.hpp"
#include "tests/catch.hpp"

namespace tbci::settings_gpu_choice_test {

namespace {

Result<settings::Config> with_gpu(const std::string& value) {
  return settings::parse_config("[measure]\ngpu = " + value + "\n[[subject]]\nname = \"demo\"\n", "x.toml");
}

}  // namespace

TEST_CASE("Configuration: a GPU is chosen by number or UUID, and anything else is an error", "[config]") {
  CHECK(with_gpu("1").value().measure.worker.gpu == "1");
  CHECK(with_gpu("\"MIG-11111111-aaaa-bbbb-cccc-01\"").value().measure.worker.gpu == "MIG-11111111-aaaa-bbbb-cccc-01");
  for (const char* wrong : {"-1", "\"all\"", "\"\""}) {
    INFO(wrong);
    const auto config = with_gpu(wrong);
    REQUIRE_FALSE(config);
    CHECK(config.error().message.starts_with("x.toml:2: measure.gpu: must be the number of a GPU"));
  }
}

}  // namespace tbci::settings_gpu_choice_test
