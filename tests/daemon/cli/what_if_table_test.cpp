#include "daemon/cli/what_if_table.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace tbci::what_if_table_test {

using daemon::SupposedCase;

namespace {

const std::vector<detect::SupposedChange> slower = {{.name = "aten.mm", .factor = 1.5}};

SupposedCase of(const std::string& benchmark, detect::SupposedTime time) {
  return {{benchmark, model::Configuration::cpu_infer}, time};
}

}  // namespace

TEST_CASE("What-if table: the largest change is first, and cases without such calls are counted", "[daemon]") {
  const std::string text =
      daemon::supposed_text({of("little", {.before = 10e6, .after = 10.1e6, .kernels = 0.2e6, .calls = 3}),
                             of("none", {.before = 5e6, .after = 5e6}),
                             of("much", {.before = 20e6, .after = 15e6, .kernels = 10e6, .calls = 40})},
                            slower);
  INFO(text);
  CHECK(text.find("much") < text.find("little"));
  CHECK(text.find("-25.0%") != std::string::npos);
  CHECK(text.find("50.0%") != std::string::npos);
  CHECK(text.find("+1.0%") != std::string::npos);
  CHECK(text.find("none") == std::string::npos);
  CHECK(text.find("1 case without such calls\n") != std::string::npos);
  CHECK(text.find("A factor") == std::string::npos);
}

TEST_CASE("What-if table: a factor of an operator without kernels is explained, a cost of its calls is not",
          "[daemon]") {
  const std::vector<SupposedCase> cases = {
      of("dlrm", {.before = 10e6, .after = 10.005e6, .kernels = 0.01e6, .calls = 8})};
  CHECK(daemon::supposed_text(cases, slower).find("A factor changes nothing here: ") != std::string::npos);
  CHECK(daemon::supposed_text(cases, {{.name = "aten.linear", .more = 5}}).find("A factor") == std::string::npos);
}

TEST_CASE("What-if table: the JSON has the numbers", "[daemon]") {
  const auto json = daemon::json_of(of("dlrm", {.before = 10, .after = 12, .kernels = 4, .calls = 2}));
  CHECK(json == nlohmann::json{{"benchmark", "dlrm"},
                               {"configuration", "cpu-infer"},
                               {"nanoseconds", 10.0},
                               {"supposed_nanoseconds", 12.0},
                               {"kernel_nanoseconds", 4.0},
                               {"calls", 2.0}});
}

}  // namespace tbci::what_if_table_test
