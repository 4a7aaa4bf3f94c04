#include "runner/suites.hpp"

#include "tests/catch.hpp"

namespace tbci::suites_test {

using namespace tbci::test;

using runner::Subject;
using runner::suites_of;

TEST_CASE("Suites: contain only the native models by default", "[suites]") {
  const auto suites = suites_of(Subject{}, {}, "/w/tbci-worker");
  REQUIRE(suites.size() == 1);
  CHECK(suites[0].prefix.empty());
  CHECK(suites[0].program == std::vector<std::string>{"/w/tbci-worker"});
  CHECK(suites[0].options.empty());
}

TEST_CASE("Suites: a folder of exported models is its own suite with the same worker", "[suites]") {
  Subject subject;
  subject.exported_models = "/srv/models";
  const auto suites = suites_of(subject, {}, "/w/tbci-worker");
  REQUIRE(suites.size() == 2);
  CHECK(suites[1].prefix == "exported.");
  CHECK(suites[1].program == std::vector<std::string>{"/w/tbci-worker"});
  CHECK(suites[1].options == std::vector<std::string>{"--models", "/srv/models"});
  CHECK(suites[1].own_name("exported.resnet18.pt2") == "resnet18.pt2");
  CHECK_FALSE(suites[1].own_name("resnet18").has_value());
}

}  // namespace tbci::suites_test
