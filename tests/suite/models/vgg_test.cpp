#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: vgg16", "[suite]") {
  check_model(
      {.name = "vgg16", .outputs = {{2, 100}}, .published = 138357544, .published_by = "torchvision's model page"});
}
