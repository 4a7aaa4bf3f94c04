#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: mobilenet_v3_large", "[suite]") {
  check_model({.name = "mobilenet_v3_large",
               .outputs = {{2, 100}},
               .published = 5483032,
               .published_by = "torchvision's model page"});
}
