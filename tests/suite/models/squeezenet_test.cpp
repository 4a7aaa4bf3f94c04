#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: squeezenet1_1", "[suite]") {
  check_model({.name = "squeezenet1_1",
               .outputs = {{2, 100}},
               .published = 1235496,
               .published_by = "torchvision's model page"});
}
