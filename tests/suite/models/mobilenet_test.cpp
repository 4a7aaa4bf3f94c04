#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: mobilenet_v2", "[suite]") {
  check_model({.name = "mobilenet_v2",
               .outputs = {{2, 100}},
               .published = 3504872,
               .published_by = "torchvision's model page"});
}
