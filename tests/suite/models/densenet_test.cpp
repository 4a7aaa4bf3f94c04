#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: densenet121", "[suite]") {
  check_model(
      {.name = "densenet121", .outputs = {{2, 100}}, .published = 7978856, .published_by = "torchvision's model page"});
}
