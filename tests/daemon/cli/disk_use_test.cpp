#include "daemon/cli/disk_use.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace tbci::disk_use_test {

using pipeline::DiskUse;
using pipeline::ThingKind;

namespace {

const std::vector<DiskUse> uses = {
    {.kind = ThingKind::environment, .subject = "demo", .things = 3, .bytes = 3 << 20, .budget = 1 << 20},
    {.kind = ThingKind::checkout, .subject = "demo", .things = 1, .bytes = 1 << 20, .budget = 0},
    {.kind = ThingKind::worker, .subject = "", .things = 2, .bytes = 1 << 20, .budget = 8 << 20}};

}  // namespace

TEST_CASE("Disk use: what is over its budget is marked, and what has none says so", "[disk_use]") {
  const std::string text = daemon::text_of(uses);
  CHECK(text.find("environments") != std::string::npos);
  CHECK(text.find("over its budget") != std::string::npos);
  CHECK(text.find("over its budget") == text.rfind("over its budget"));
  CHECK(text.find("none") != std::string::npos);
  const auto json = daemon::json_of(uses);
  REQUIRE(json.size() == 3);
  CHECK(json[0]["kind"] == "environments");
  CHECK(json[0]["bytes"] == 3 << 20);
  CHECK(json[1]["budget"].is_null());
  CHECK(json[2]["number"] == 2);
}

}  // namespace tbci::disk_use_test
