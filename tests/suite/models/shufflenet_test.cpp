#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: shufflenet_v2_x1_0", "[suite]") {
  check_model({.name = "shufflenet_v2_x1_0",
               .outputs = {{2, 100}},
               .published = 2278604,
               .published_by = "torchvision's model page"});
}
