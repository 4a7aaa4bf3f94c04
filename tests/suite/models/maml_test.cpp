#include "tests/catch.hpp"
#include "tests/suite/model_check.hpp"

using namespace tbci::suite;

TEST_CASE("Models: maml", "[suite]") {
  check_model({.name = "maml", .outputs = {{6}}});
}
