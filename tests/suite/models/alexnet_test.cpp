#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: alexnet", "[suite]") {
  check_model(
      {.name = "alexnet", .outputs = {{2, 100}}, .published = 61100840, .published_by = "torchvision's model page"});
}
