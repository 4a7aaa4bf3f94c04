#include "daemon/cli/evidence_table.hpp"

#include <nlohmann/json.hpp>

#include "tests/catch.hpp"

namespace tbci::evidence_table_test {

using daemon::EvidenceOfCase;
using model::Evidence;
using model::EvidenceUnit;

namespace {

const model::Case tiered = {"dlrm_tiered", model::Configuration::cpu_train};

model::Measurement process(double hits, double of_table) {
  model::Measurement measurement;
  measurement.measured = tiered;
  measurement.evidence = {
      Evidence{.name = "hits", .of = "", .unit = EvidenceUnit::count, .value = hits},
      Evidence{.name = "bytes read", .of = "", .unit = EvidenceUnit::bytes, .value = 4096},
      Evidence{.name = "waited", .of = "", .unit = EvidenceUnit::nanoseconds, .value = 2e6},
      Evidence{.name = "hits", .of = "table 3\x1b", .unit = EvidenceUnit::count, .value = of_table}};
  return measurement;
}

}  // namespace

TEST_CASE("Evidence: a run shows the median of the model as a whole, and how many parts counted", "[cli]") {
  CHECK(daemon::evidence_of_run({{tiered, {process(10, 1), process(30, 1), process(20, 1)}}}) ==
        "\n"
        "what the model counts  of an iteration\n"
        "dlrm_tiered/cpu-train  hits                20\n"
        "dlrm_tiered/cpu-train  bytes read       4 KiB\n"
        "dlrm_tiered/cpu-train  waited            2 ms\n"
        "1 part counted as well: --json has them\n");
  CHECK(daemon::evidence_of_run({}).empty());
  CHECK(daemon::evidence_of_run({{tiered, {model::Measurement()}}}).empty());
}

TEST_CASE("Evidence: a comparison shows both builds, and of the parts those that changed", "[cli]") {
  const EvidenceOfCase same{tiered, {process(10, 100)}, {process(10, 100.5)}};
  const EvidenceOfCase changed{tiered, {process(10, 100), process(10, 100)}, {process(15, 50), process(15, 50)}};
  const std::string text = daemon::evidence_of_builds(std::vector{changed});
  INFO(text);
  CHECK(text.find("hits                 10     15  +50.0%") != std::string::npos);
  CHECK(text.find("table 3 : hits      100     50  -50.0%") != std::string::npos);
  CHECK(daemon::evidence_of_builds(std::vector{same}).find("table 3") == std::string::npos);
  CHECK(daemon::evidence_of_builds(std::vector{EvidenceOfCase{tiered, {}, {process(1, 1)}}}).empty());
}

TEST_CASE("Evidence: a program gets all parts of each process, and the medians of two builds", "[cli]") {
  const auto one = daemon::evidence_json(process(10, 1).evidence);
  REQUIRE(one.size() == 4);
  CHECK(one[1] == nlohmann::json{{"name", "bytes read"}, {"of", ""}, {"unit", "bytes"}, {"value", 4096.0}});
  const auto two = daemon::evidence_json(EvidenceOfCase{tiered, {process(10, 4)}, {process(15, 4)}});
  CHECK(two.at("benchmark") == "dlrm_tiered");
  CHECK(two.at("configuration") == "cpu-train");
  REQUIRE(two.at("evidence").size() == 4);
  CHECK(two.at("evidence")[0].at("before") == 10.0);
  CHECK(two.at("evidence")[0].at("after") == 15.0);
}

}  // namespace tbci::evidence_table_test
