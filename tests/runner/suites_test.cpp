#include "runner/suites.hpp"

#include "tests/catch.hpp"

namespace tbci::suites_test {

using namespace tbci::test;

using runner::can_alternate;
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

TEST_CASE("Suites: two processes take turns on the CPU, and in suites that know how", "[suites]") {
  using model::Configuration;
  CHECK(can_alternate({"dlrm", Configuration::cpu_train}));
  CHECK(can_alternate({"exported.a.pt2", Configuration::cpu_infer}));
  CHECK_FALSE(can_alternate({"dlrm", Configuration::gpu_infer}));
  CHECK_FALSE(can_alternate({"torchbench.dcgan", Configuration::cpu_infer}));
}

}  // namespace tbci::suites_test
