#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: mnasnet1_0", "[suite]") {
  check_model(
      {.name = "mnasnet1_0", .outputs = {{2, 100}}, .published = 4383312, .published_by = "torchvision's model page"});
}
